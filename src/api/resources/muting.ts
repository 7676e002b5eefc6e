import Type from 'typebox';
import { owned, type Viewer } from '../../accounts/access.ts';
import { createMuting, deleteMuting } from '../../reports/apply-mutings.ts';
import { findMuting, listMutings, listReportMutings, type MutingRow, type NewMuting } from '../../store/mutings.ts';
import { type Attributes, attributeProblems } from '../attributes.ts';
import {
  bodyEndpoint,
  type Call,
  created,
  endpoint,
  listed,
  listOf,
  NO_CONTENT,
  NOTHING,
  newOne,
  ok,
  one,
} from '../endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { pagingOf } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { DECIMAL_ID } from '../jsonapi/schemas.ts';
import { commentMaxCharacters, mutingMessageMaxCharacters, urlMatchMaxCharacters } from '../limits.ts';
import { NO_PARAMS, NO_QUERY, PAGING_QUERY, REPORT_PARAMS } from '../parameters.ts';
import { readText } from '../text-attributes.ts';
import { reportToRead } from './report.ts';

const TEXTS = {
  url_match: Type.String({ description: 'A URL, or any part of one, in whatever case.' }),
  message: Type.String({ description: "An issue's message or help, or any part of one, in whatever case." }),
};

/** Section 2.8 of the contract. */
const MUTING = resourceType('muting', {
  id: DECIMAL_ID,
  attributes: Type.Object({
    id: Type.Integer({ minimum: 1 }),
    ...TEXTS,
    comment: Type.String({ description: 'Why the muting exists; seen by everybody who may look at the report.' }),
  }),
  self: 'sometimes',
});

/** The attributes of POST /mutings (section 4.6 of the contract). */
const NEW_MUTING_ATTRIBUTES = Type.Object(
  { ...TEXTS, comment: Type.Optional(Type.String({ default: '' })) },
  { additionalProperties: false },
);

const MUTING_PARAMS = Type.Object({ muting_id: DECIMAL_ID });

export const MUTING_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/mutings',
    summary: 'Create a muting; it acts on existing and future reports',
    pro: true,
    params: NO_PARAMS,
    query: NO_QUERY,
    answers: newOne(MUTING),
    body: {
      type: 'muting',
      isNew: true,
      attributes: NEW_MUTING_ATTRIBUTES,
      example: { url_match: 'example.com/blog', message: 'Duplicate ID', comment: 'Comes from a plugin.' },
      parse: parseNewMuting,
    },
    subject: async () => null,
    async answer({ call, body }) {
      const id = await createMuting(call.db, body);
      return created(renderMuting(await mutingOf(call, id), call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/mutings',
    summary: 'List mutings',
    pro: true,
    params: NO_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(MUTING),
    subject: async () => null,
    async answer({ call, query }) {
      const paging = pagingOf(query);
      const page = await listMutings(call.db, call.viewer.accountId, paging);
      return listed(call, paging, page, (muting) => renderMuting(muting, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/mutings/{muting_id}',
    summary: 'Get a muting',
    pro: true,
    params: MUTING_PARAMS,
    query: NO_QUERY,
    answers: one(MUTING),
    subject: ownMuting,
    answer: async ({ call, subject }) => ok(renderMuting(subject, call)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/mutings/{muting_id}',
    summary: 'Delete a muting; the issues that it alone silenced come back',
    pro: true,
    params: MUTING_PARAMS,
    query: NO_QUERY,
    answers: NOTHING,
    subject: ownMuting,
    async answer({ call, subject }) {
      await deleteMuting(call.db, subject.id);
      return NO_CONTENT;
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/mutings',
    summary: 'List the mutings that silence at least one issue of a report',
    pro: true,
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(MUTING),
    subject: reportToRead,
    async answer({ call, query, subject }) {
      const paging = pagingOf(query);
      const page = await listReportMutings(call.db, subject.id, paging);
      return listed(call, paging, page, (muting) => renderMuting(muting, call));
    },
  }),
];

/** The muting that a path names, when it is the viewer's. */
function ownMuting(call: Call, params: { readonly muting_id: string }): Promise<MutingRow> {
  return mutingOf(call, Number(params.muting_id));
}

async function mutingOf(call: Call, id: number): Promise<MutingRow> {
  return owned(call.viewer, await findMuting(call.db, id));
}

/** @throws RequestError invalid, with all invalid attributes at once */
function parseNewMuting(attributes: Attributes, viewer: Viewer): NewMuting {
  const problems = attributeProblems(NEW_MUTING_ATTRIBUTES, attributes);
  const read = (name: keyof typeof NEW_MUTING_ATTRIBUTES.properties, maxCharacters: number): string => {
    const given = attributes[name] ?? '';
    if (problems.has(name) || typeof given !== 'string') return '';
    const { value, problem } = readText(given, maxCharacters);
    const title = value === '' && name !== 'comment' ? "can't be blank" : problem;
    if (title !== null) problems.set(name, attributeProblem(name, title));
    return value;
  };
  const muting = {
    accountId: viewer.accountId,
    urlMatch: read('url_match', urlMatchMaxCharacters),
    message: read('message', mutingMessageMaxCharacters),
    comment: read('comment', commentMaxCharacters),
  };
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  return muting;
}

/** With its own link for whose it is alone: nobody else may follow that. */
function renderMuting(muting: MutingRow, { viewer, links }: Call): Resource {
  const { id, url_match, message, comment } = muting;
  return resource(MUTING, {
    id,
    attributes: { id, url_match, message, comment },
    ...(muting.account_id === viewer.accountId && { self: links(`/mutings/${id}`) }),
  });
}
