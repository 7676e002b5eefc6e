import Type from 'typebox';
import { UUID, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { commaSeparated } from '../../platform/comma-separated.ts';
import { ERROR_CODES, type ErrorCode } from '../../platform/errors.ts';
import { tagsMax } from '../../reports/definition/limits.ts';
import { type SelectedSite, type SiteSelection, selectedSites } from '../../store/reports/selected-sites.ts';
import { ATTENTION_CHOICES, type AttentionChoice } from '../../store/reports/site-list.ts';
import type { Call } from '../http/endpoint.ts';
import { kindsFilter } from '../http/pro-features.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { choiceParameter } from '../jsonapi/query.ts';
import { searchTextMaxCharacters, sitesSelectedMax } from './limits.ts';

/** Which sites a bulk request is about: all bulk requests have these attributes. */

export const ARCHIVED_CHOICES = ['false', 'true', 'all'] as const;
const ARCHIVED = { false: false, true: true, all: undefined } as const;

/** Returns true if a list shows only archived sites, false if only others; undefined for both. */
export function isArchived(choice: (typeof ARCHIVED_CHOICES)[number] = 'false'): boolean | undefined {
  return ARCHIVED[choice];
}

export const ARCHIVED_FILTER = {
  'filter[archived]': Type.Optional(
    Type.Enum([...ARCHIVED_CHOICES], {
      default: 'false',
      description: 'Which sites to list: sites in use (`false`), archived sites (`true`), or `all`.',
    }),
  ),
};

export const ATTENTION_FILTER = {
  'filter[attention]': choiceParameter(ATTENTION_CHOICES, {
    description: 'Only sites with one of these values of `attention`',
    remark: '`any`: sites that need attention for any reason; `none`: the others.',
  }),
};

export const SELECTION = {
  site_ids: Type.Optional(
    Type.Array(UUID, {
      minItems: 1,
      maxItems: sitesSelectedMax,
      description: `The ids of your sites, at most ${sitesSelectedMax}. Cannot be combined with filters.`,
      examples: [[UUID_EXAMPLE]],
    }),
  ),
  tags: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: tagsMax })], {
      description: 'A filter: sites with any of these tags. Separated by commas, or an array. Case is ignored.',
      examples: ['shop', ['shop', 'blog']],
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: searchTextMaxCharacters,
      description: 'A filter: sites with this text in the name or the starting URL. Case is ignored.',
      examples: ['example.com'],
    }),
  ),
  attention: Type.Optional(
    Type.Array(Type.Enum([...ATTENTION_CHOICES]), {
      description:
        'A filter: sites that need attention for any of these reasons, as in `filter[attention]` of `GET /sites`.',
      examples: [['failed']],
    }),
  ),
  archived: Type.Optional(
    Type.Enum([...ARCHIVED_CHOICES], {
      default: 'false',
      description:
        'Sites in use (`false`), archived sites (`true`), or `all`. Only `true` counts as a filter: the other values require another filter, or `all: true`.',
    }),
  ),
  all: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Required for a selection without ids and without filters, which is all your sites.',
      examples: [false],
    }),
  ),
};
const SCHEMA = Type.Object(SELECTION);

/** A selection whose attributes are valid. */
export interface Selection {
  readonly ids?: readonly string[];
  readonly tags?: readonly string[];
  readonly text?: string;
  readonly attention?: readonly AttentionChoice[];
  readonly isArchived?: boolean | undefined;
}

/**
 * Reads the selection among the attributes of a request.
 * @throws RequestError invalid if the attributes select nothing, or in two ways
 */
export function parseSelection(attributes: Attributes): Selection {
  const names = Object.keys(SELECTION);
  const given = readAttributes(
    SCHEMA,
    Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name))),
  );
  const { site_ids: ids, attention = [], all = false } = given;
  const tags = typeof given.tags === 'string' ? commaSeparated(given.tags) : (given.tags ?? []);
  const wanted = tags.map((tag) => tag.trim()).filter((tag) => tag !== '');
  const text = given.text?.trim() ?? '';
  const isFiltered = wanted.length > 0 || text !== '' || attention.length > 0 || given.archived === 'true';
  if (ids !== undefined && (isFiltered || all)) throw invalid('site_ids', 'cannot be combined with filters');
  if (ids !== undefined) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))] };
  // An empty filter would select every site, and could cost all credits.
  if (!isFiltered && !all)
    throw invalid('site_ids', 'can\'t be blank without tags, text, attention, archived: "true" or all');
  return {
    ...(wanted.length > 0 && { tags: wanted }),
    ...(text !== '' && { text }),
    ...(attention.length > 0 && { attention }),
    isArchived: isArchived(given.archived),
  };
}

/**
 * Returns the sites of a selection.
 * @throws RequestError invalid if there are more than `sitesSelectedMax`
 */
export async function sitesIn(call: Call, selection: Selection): Promise<readonly SelectedSite[]> {
  const { tags } = selection;
  const wanted: SiteSelection = {
    ...selection,
    ...{ accountId: call.viewer.accountId, tags: tags && { mode: 'any', tags } },
    ...{ ...kindsFilter(call.viewer), scheduleTimeMs: call.scheduleTimeMs },
  };
  const sites = await selectedSites(call.db, wanted, sitesSelectedMax + 1);
  if (sites.length <= sitesSelectedMax) return sites;
  const name = tags !== undefined ? 'tags' : selection.text !== undefined ? 'text' : 'all';
  throw invalid(name, `selects more than ${sitesSelectedMax} sites: select fewer`);
}

/** A site that is left unchanged, with the reason. */
export interface Refusal {
  readonly siteId: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export const SITE_ID = Type.With(UUID, { description: 'The id of the site.' });
export const SITE_NAME = Type.String({
  description: 'Its name, or its starting URL if it has none.',
  examples: ['Shop'],
});

/** The sites of a request that were refused, in its response. */
export const REFUSED = Type.Array(
  Type.Object({
    site_id: SITE_ID,
    name: SITE_NAME,
    code: Type.Enum([...ERROR_CODES], { description: 'The code of the error.', examples: ['credits_exhausted'] }),
    message: Type.String({ description: 'Why it was refused.', examples: ['You have no credits left.'] }),
  }),
  { description: 'The sites that were refused, with the reason.' },
);

/** Refuses ids that do not belong to sites of the account. */
export function unknownSites({ ids = [] }: Selection, sites: readonly SelectedSite[]): Refusal[] {
  const known = new Set(sites.map(({ id }) => id));
  return ids
    .filter((id) => !known.has(id))
    .map((siteId) => ({ siteId, code: 'not_found', message: 'This site does not exist.' }));
}

/** Returns functions that render a site of a selection by its id, and a refusal, both with `SITE_NAME`. */
export function siteRenderers(sites: readonly SelectedSite[]) {
  const names = new Map(sites.map(({ id, name, starting_url: url }) => [id, name === '' ? url : name]));
  const named = (siteId: string) => ({ site_id: siteId, name: names.get(siteId) ?? '' });
  const refused = ({ siteId, code, message }: Refusal) => ({ ...named(siteId), code, message });
  return { named, refused };
}

function invalid(name: string, problem: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, problem)]);
}
