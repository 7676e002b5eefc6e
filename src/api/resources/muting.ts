import Type from 'typebox';
import { owned } from '../../accounts/access.ts';
import { readTime } from '../../domain/read-time.ts';
import { ADDITIVE, count, DECIMAL_ID, nullable, TIMESTAMP } from '../../domain/schemas.ts';
import { isSelector } from '../../page-source/select-elements.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { createMuting, deleteMuting } from '../../reports/apply-mutings.ts';
import { selectorProblem } from '../../reports/definition/css-selector.ts';
import {
  commentMaxCharacters,
  mutingMessageMaxCharacters,
  selectorMaxCharacters,
  urlMatchMaxCharacters,
} from '../../reports/definition/limits.ts';
import {
  findMuting,
  listMutings,
  listReportMutings,
  type MutingRow,
  previewMuting,
} from '../../store/mutings/mutings.ts';
import { expirySchema } from '../attributes/expiry.ts';
import { KIND } from '../attributes/issue-type.ts';
import { PAGING_QUERY, REPORT_PARAMS } from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { reportToRead } from './report.ts';

const COMMENT = {
  description: 'Why the muting exists. Visible to everyone who can see the report.',
  examples: ['Comes from a plugin.'],
};
const SELECTOR = {
  description:
    'A CSS selector: only issues in matching elements and their descendants are muted, on pages that are checked after the muting was created. Null for all elements.',
  examples: ['.cookie-banner', null],
};
const RETROACTIVE = {
  description:
    'Whether it also applies to what earlier reports had found when they ended, and so changes trends, statistics and comparisons. By default, these do not change.',
  examples: [false],
};
const TEXTS = {
  url_match: trimmedText(urlMatchMaxCharacters, {
    description: 'A URL, or part of a URL. Case is ignored.',
    examples: ['example.com/blog'],
  }),
  message: trimmedText(mutingMessageMaxCharacters, {
    description:
      'The message or help text of an issue, or part of it, or the whole `rule_id`. Case is ignored, and straight and typographic quotes are treated as equal.',
    examples: ['Duplicate ID'],
  }),
};

/** See docs/contract/resources.md#muting. */
const MUTING = resourceType('muting', {
  description: 'Hides issues whose page and message match it from all counts of an account.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    id: Type.Integer({ minimum: 1, description: 'The id as a number.', examples: [4711] }),
    ...TEXTS,
    selector: nullable(Type.String(), SELECTOR.description, { examples: SELECTOR.examples, ...ADDITIVE }),
    comment: Type.String(COMMENT),
    how_many: Type.Optional(
      count(
        'Number of occurrences that it currently mutes, in all reports that it applies to. An occurrence matched by several mutings counts for each. Updated in the background after a muting is created or deleted. Only shown to the owner of the muting.',
        { examples: [12], ...ADDITIVE },
      ),
    ),
    num_reports: Type.Optional(
      count('Number of reports in which it mutes something. Only shown to the owner of the muting.', {
        examples: [2],
        ...ADDITIVE,
      }),
    ),
    retroactive: Type.Boolean({ ...RETROACTIVE, ...ADDITIVE }),
    expires_at: nullable(TIMESTAMP, 'When it stops muting; null means never.', { examples: [null], ...ADDITIVE }),
    expired: Type.Boolean({
      description:
        'Whether `expires_at` has passed. The issues that it muted count again, after an update in the background. It is listed until you delete it.',
      examples: [false],
      ...ADDITIVE,
    }),
  }),
  relationships: {},
  self: 'sometimes',
});

/** The attributes of POST /mutings (docs/contract/resources.md#muting). */
const NEW_MUTING_ATTRIBUTES = Type.Object(
  {
    ...TEXTS,
    comment: Type.Optional(trimmedText(commentMaxCharacters, { ...COMMENT, default: '' })),
    selector: Type.Optional(selectorSchema()),
    retroactive: Type.Optional(Type.Boolean({ ...RETROACTIVE, default: false })),
    expires_at: Type.Optional(expirySchema('When it stops muting.')),
  },
  { additionalProperties: false },
);

const MUTING_PARAMS = Type.Object({ muting_id: DECIMAL_ID });

const MUTING_PREVIEW = resourceType('muting_preview', {
  description: 'What a muting would currently match in the latest reports. Not stored.',
  id: Type.String({ examples: ['preview'] }),
  attributes: Type.Object({
    how_many: count('Number of matching occurrences, including those already muted.', {
      examples: [12],
    }),
    num_web_pages: count('Number of web pages with such issues.', { examples: [3] }),
    kinds: Type.Array(
      Type.Object({
        kind: KIND,
        message: Type.String({ description: 'Its message or help text.', examples: ['Duplicate ID “main”.'] }),
        how_many: count('Number of its matching occurrences.', { examples: [12] }),
      }),
      { description: 'The matching issue types: at most the 10 with the most occurrences.' },
    ),
    upper_bound: Type.Boolean({
      description:
        'Whether `how_many` is only an upper bound: true with a `selector`, which is matched only while pages are checked.',
      examples: [false],
    }),
    num_reports: count('Number of reports searched.', { examples: [1] }),
    num_web_pages_searched: count('Number of web pages searched in these reports.', { examples: [25] }),
    complete: Type.Boolean({
      description: 'Whether the latest report of each starting URL was searched completely.',
      examples: [true],
    }),
  }),
  relationships: {},
  self: 'never',
});

const PREVIEW_QUERY = Type.Object({
  url_match: Type.Optional(
    Type.String({
      maxLength: urlMatchMaxCharacters,
      description: 'As in a muting. If absent, all URLs match.',
      examples: ['example.com/blog'],
    }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: mutingMessageMaxCharacters,
      description: 'As in a muting. If absent, all messages match.',
      examples: ['Duplicate ID'],
    }),
  ),
  selector: Type.Optional(
    Type.Refine(
      Type.String({ maxLength: selectorMaxCharacters, description: 'As in a muting.', examples: ['.cookie-banner'] }),
      isMatchable,
      () => `must be a CSS selector of at most ${selectorMaxCharacters} characters`,
    ),
  ),
});

const MUTING_PREVIEW_ENDPOINT = endpoint({
  method: 'GET',
  path: '/mutings/preview',
  summary: 'Preview a muting',
  description:
    'Counts what a muting with these attributes would match in your latest reports: the latest report of each starting URL among your newest 200 reports, up to a total of 5,000 web pages.',
  pro: true,
  additive: true,
  query: PREVIEW_QUERY,
  answers: one(MUTING_PREVIEW),
  async answer({ call, query }) {
    const texts = { urlMatch: query.url_match?.trim() ?? '', message: query.message?.trim() ?? '' };
    const { is_complete: complete, ...counts } = await previewMuting(call.db, call.viewer.accountId, texts);
    const attributes = { ...counts, kinds: [...counts.kinds], upper_bound: query.selector !== undefined, complete };
    return resource(MUTING_PREVIEW, { id: 'preview', attributes });
  },
});

export const MUTING_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/mutings',
    summary: 'Create a muting',
    description:
      'The muting applies to future reports of your account and your guests and, in the background, to existing reports. With a `selector`, it only applies to pages that are checked from now on.',
    pro: true,
    answers: newOne(MUTING),
    body: {
      attributes: NEW_MUTING_ATTRIBUTES,
      example: { url_match: 'example.com/blog', message: 'Duplicate ID', comment: 'Comes from a plugin.' },
      parse(attributes, { accountId }) {
        const {
          url_match,
          message,
          comment = '',
          selector = null,
          retroactive = false,
          expires_at = null,
        } = readAttributes(NEW_MUTING_ATTRIBUTES, attributes);
        const texts = { url_match: url_match.trim(), message: message.trim(), comment: comment.trim() };
        if (selector !== null && retroactive)
          throw new RequestError('invalid', [attributeProblem('retroactive', 'cannot be combined with selector')]);
        return { account_id: accountId, ...texts, selector, retroactive, expires_at: readTime(expires_at).value };
      },
    },
    async answer({ call, body }) {
      const id = await createMuting(call.db, body);
      return renderMuting(await ownMuting(call, { muting_id: String(id) }), call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/mutings',
    summary: 'List mutings',
    description: 'Returns your mutings, newest first.',
    pro: true,
    query: PAGING_QUERY,
    answers: listOf(MUTING),
    async answer({ call, paging }) {
      return listed(await listMutings(call.db, call.viewer.accountId, paging), (muting) => renderMuting(muting, call));
    },
  }),
  MUTING_PREVIEW_ENDPOINT,
  endpoint({
    method: 'GET',
    path: '/mutings/{muting_id}',
    summary: 'Get a muting',
    description: 'Returns one of your mutings.',
    pro: true,
    params: MUTING_PARAMS,
    answers: one(MUTING),
    subject: ownMuting,
    answer: async ({ call, subject }) => renderMuting(subject, call),
  }),
  endpoint({
    method: 'DELETE',
    path: '/mutings/{muting_id}',
    summary: 'Delete a muting',
    description: 'Issues that no other muting matches count again, after an update in the background.',
    pro: true,
    params: MUTING_PARAMS,
    answers: NOTHING,
    subject: ownMuting,
    answer: ({ call, subject }) => deleteMuting(call.db, subject.id),
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/mutings',
    summary: 'List the mutings of a report',
    description: 'Returns the mutings that match at least one issue of the report.',
    pro: true,
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(MUTING),
    subject: reportToRead,
    async answer({ call, subject, paging }) {
      return listed(await listReportMutings(call.db, subject.id, paging), (muting) => renderMuting(muting, call));
    },
  }),
];

async function ownMuting({ db, viewer }: Call, params: { readonly muting_id: string }): Promise<MutingRow> {
  return owned(viewer, await findMuting(db, Number(params.muting_id)));
}

/**
 * Includes the link and the counts only for the owner of a muting that applies to an account. Others cannot follow the link, and
 * the counts cover other reports. Mutings of one report have no URL.
 */
function renderMuting(muting: MutingRow, { viewer, links }: Call): Resource {
  const { id, url_match, message, selector, comment, how_many, num_reports, retroactive, expires_at, is_expired } =
    muting;
  const isOwn = muting.account_id === viewer.accountId && muting.report_id === null;
  return resource(MUTING, {
    id,
    attributes: {
      ...{ id, url_match, message, selector, comment },
      ...(isOwn && { how_many, num_reports }),
      retroactive,
      expires_at: utcTime(expires_at),
      expired: is_expired,
    },
    ...(isOwn && { self: links(`/mutings/${id}`) }),
  });
}

/** Whether a selector is valid, and all its parts are supported. */
function isMatchable(selector: string): boolean {
  return selectorProblem(selector) === null && isSelector(selector);
}

function selectorSchema() {
  return Type.Refine(
    Type.Union([Type.String(), Type.Null()], SELECTOR),
    (selector) => selector === null || (selector.length <= selectorMaxCharacters && isMatchable(selector)),
    () => `must be a CSS selector of at most ${selectorMaxCharacters} characters`,
  );
}

/** Returns the schema of a string that is trimmed later. Unless the default is empty, it must not be blank. */
function trimmedText(
  maxCharacters: number,
  options: { readonly description: string; readonly examples: readonly string[]; readonly default?: '' },
) {
  const problem = (text: string): string | null => {
    const { length } = text.trim();
    if (length === 0 && options.default !== '') return "can't be blank";
    return length > maxCharacters ? `must have at most ${maxCharacters} characters` : null;
  };
  return Type.Refine(
    Type.String(options),
    (text) => problem(text) === null,
    (text) => problem(text) ?? '',
  );
}
