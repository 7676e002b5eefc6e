import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import type { Viewer } from '../../accounts/access.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { ADDITIVE, DECIMAL_ID, guestToken, PRO, UUID } from '../../domain/schemas.ts';
import { commaSeparated } from '../../platform/comma-separated.ts';
import { type IssueFilter, MUTED_CHOICES } from '../../store/issues/common-issues.ts';
import { TAG_MODES, type TagFilter } from '../../store/listing.ts';
import { REPORT_CREATORS, type ReportCreators } from '../../store/reports/reports.ts';
import { PAGING } from '../jsonapi/query.ts';

/** Path and query parameters of several resources. */

export const PAGING_QUERY = Type.Object(PAGING);
export const REPORT_PARAMS = Type.Object({ report_id: UUID });
export const WEB_PAGE_PARAMS = Type.Object({ report_id: UUID, web_page_id: DECIMAL_ID });
export const GUEST_ACCOUNT_PARAMS = Type.Object({ guest_account_id: guestToken('') });

/** Returns the parameters of a path that ends with the id of a resource in a report. */
export function paramsInReport(idName: string): typeof REPORT_PARAMS {
  return Type.Object({ ...REPORT_PARAMS.properties, ...{ [idName]: DECIMAL_ID } });
}

/** Returns the parameters of a path that ends with the id of a resource of a web page. */
export function paramsInWebPage(idName: string): typeof WEB_PAGE_PARAMS {
  return Type.Object({ ...WEB_PAGE_PARAMS.properties, ...{ [idName]: DECIMAL_ID } });
}

/** Returns the schema of a filter that matches part of a string, ignoring case. */
export function textFilter(of: string, example: string) {
  const description = `Part of ${of}. Case is ignored, and there are no wildcards.`;
  return Type.Optional(Type.String({ description, examples: [example] }));
}

export const TAG_FILTERS = {
  'filter[tags][mode]': Type.Optional(
    Type.Enum([...TAG_MODES], {
      default: 'any',
      description: 'Whether to list resources with any of the tags, all of them, or none.',
    }),
  ),
  'filter[tags][list]': Type.Optional(
    Type.String({
      description: 'Tags, separated by commas. Case is ignored. Without tags, nothing is filtered.',
      examples: ['shop,autumn'],
    }),
  ),
};

/** Filters by who created reports, as the contract spells them. */
export const CREATOR_FILTERS = {
  created_by: Type.Optional(
    Type.Enum([...REPORT_CREATORS], {
      default: 'me',
      description: 'Who created the reports: you, your guests, or either.',
      ...PRO,
    }),
  ),
  guest_token: Type.Optional(
    Type.String({
      description:
        'With `created_by=guests`, only reports of these guests: ids of guest accounts, separated by commas.',
      examples: ['G1A2B3C4D5'],
      ...PRO,
    }),
  ),
};

export function creatorsOf(
  { accountId }: Pick<Viewer, 'accountId'>,
  query: { readonly created_by?: ReportCreators['createdBy']; readonly guest_token?: string },
): ReportCreators {
  const ofGuests = query.created_by === 'guests' ? query.guest_token : undefined;
  const guestAccountIds = ofGuests === undefined ? undefined : commaSeparated(ofGuests);
  return { accountId, createdBy: query.created_by, guestAccountIds };
}

export const MUTED_FILTER = {
  'filter[muted]': Type.Optional(
    Type.Enum([...MUTED_CHOICES], {
      default: 'false',
      description:
        "Which issues to count: issues that count in the report (`false`), muted issues (`true`), issues of rules that do not belong to the report's standard (`outside_standard`), issues that were marked as not an error (`not_an_error`), or `all`.",
      ...ADDITIVE,
    }),
  ),
};

const ISSUE_FILTERS = Type.Object({ ...TAG_FILTERS, ...MUTED_FILTER });

/** Returns the query of the lists of issues and common issues of an engine. */
export function issueQuery({ issues }: EngineDescription) {
  const { name, example } = issues.messageFilter;
  return Type.Object({
    ...PAGING,
    ...{ [`filter[${name}]`]: textFilter(`the ${name}`, example) },
    ...ISSUE_FILTERS.properties,
  });
}

export function tagFilterOf(query: {
  readonly 'filter[tags][mode]'?: TagFilter['mode'];
  readonly 'filter[tags][list]'?: string;
}): TagFilter {
  return { mode: query['filter[tags][mode]'] ?? 'any', tags: commaSeparated(query['filter[tags][list]'] ?? '') };
}

export function issueFilterOf(
  query: Static<typeof ISSUE_FILTERS> & { readonly 'filter[message]'?: string; readonly 'filter[help]'?: string },
): IssueFilter {
  return {
    text: query['filter[message]'] ?? query['filter[help]'],
    tags: tagFilterOf(query),
    muted: query['filter[muted]'],
  };
}

/** Returns the id in a filter; null if it is not a decimal id. */
export function decimalId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Returns the UUID in a filter; null if the filter is not a UUID. */
export function uuid(text: string): string | null {
  return Check(UUID, text) ? text : null;
}

/** A UUID that no resource has. */
export const NO_UUID = '00000000-0000-0000-0000-000000000000';
