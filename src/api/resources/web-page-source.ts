import Type from 'typebox';
import { createRedaction } from '../../domain/redaction.ts';
import { count, DECIMAL_ID, TIMESTAMP } from '../../domain/schemas.ts';
import { createSessionSeal } from '../../logins/seal-session.ts';
import { countLines } from '../../page-source/source-lines.ts';
import { notFound } from '../../platform/errors.ts';
import { unpackDocument } from '../../platform/packed-document.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { decodeDocument, encodingOf } from '../../spider/decode-document.ts';
import { findDocument, type PageDocument } from '../../store/pages/documents.ts';
import { findSession } from '../../store/reports/login-sessions.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import { sourceMaxCharacters } from '../attributes/limits.ts';
import { WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { type Call, endpoint, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { contentToRead } from './web-page.ts';

const WEB_PAGE_SOURCE = resourceType('web_page_source', {
  description: 'The document of a web page as the server sent it. The lines and columns of issues refer to it.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    text: Type.String({
      description:
        'The decoded document. CR, LF and CRLF end a line, and columns count UTF-16 code units. Each character of site credentials is replaced by `*`.',
      examples: ['<!DOCTYPE html>\n<html lang="en">'],
    }),
    omitted: count('Characters omitted at the end of `text`, because the document has more than 2,000,000.', {
      examples: [0],
    }),
    encoding: Type.String({
      description: 'The encoding with which it was decoded, as the Encoding Standard names it.',
      examples: ['utf-8'],
    }),
    size: count('Bytes of the document, before it was decoded.', { examples: [32] }),
    lines: count('Lines of the document.', { examples: [2] }),
    fetched_at: Type.Unsafe<string>({ ...TIMESTAMP, description: 'When the document was fetched.' }),
  }),
  relationships: {
    web_page: { description: 'Its web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
});

export const WEB_PAGE_SOURCE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages/{web_page_id}/source',
    summary: 'Get the source of a web page',
    description:
      'Not found for a page without a document. If the report has site credentials, readers it is shared with cannot get sources.',
    additive: true,
    params: WEB_PAGE_PARAMS,
    answers: one(WEB_PAGE_SOURCE),
    errors: ['forbidden', 'conflict'],
    subject: contentToRead,
    async answer({ call, subject: { report, page } }) {
      const document = await findDocument(call.db, page.id);
      if (document === undefined) throw notFound();
      const webPage = call.links(`/reports/${report.id}/web_pages/${page.id}`);
      return resource(WEB_PAGE_SOURCE, {
        id: page.id,
        attributes: await sourceAttributes(document, report, call),
        related: { web_page: webPage },
        self: `${webPage}/source`,
      });
    },
  }),
];

/** @throws UnreadableAccess if the site credentials cannot be decrypted, and so could not be masked */
async function sourceAttributes(
  { body, size, contentType, fetchedAt }: PageDocument,
  { id, site_access }: ReportWithChecks,
  { credentialStore, db }: Call,
): Promise<AttributesOf<typeof WEB_PAGE_SOURCE>> {
  const access = credentialStore.open(site_access, `report ${id}`);
  const ofSession = createSessionSeal(credentialStore.box).openSecrets(id, await findSession(db, id));
  const redaction = createRedaction(access, ofSession);
  const bytes = await unpackDocument(body);
  const whole = decodeDocument(bytes, contentType);
  const text = whole.slice(0, sourceMaxCharacters);
  return {
    text: redaction === null ? text : redaction.inPage(text),
    omitted: whole.length - text.length,
    encoding: encodingOf(bytes, contentType),
    size,
    lines: countLines(whole),
    fetched_at: utcTime(fetchedAt),
  };
}
