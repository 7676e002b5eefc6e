import { sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from './database.ts';
import { contains, type ListPage, listPage, type PageRequest } from './listing.ts';
import type { Check, WebPage } from './schema.ts';

/** Derived from the checks' statuses, as in the contract's section 3. */
export const WEB_PAGE_STATUSES = ['pending', 'checking', 'checked', 'failed'] as const;
export type WebPageStatus = (typeof WEB_PAGE_STATUSES)[number];

export interface WebPageCheck
  extends Pick<Check, 'status' | 'error' | 'errors' | 'warnings' | 'minor' | 'moderate' | 'serious' | 'critical'> {
  /** Whether the report asked for the raw check to be kept. */
  readonly store_raw: boolean;
}

/** A page as it is shown; a kind of check that is not enabled is absent. */
export interface WebPageWithChecks extends Pick<WebPage, (typeof COLUMNS)[number]> {
  readonly status: WebPageStatus;
  readonly checks: Readonly<Partial<Record<CheckKind, WebPageCheck>>>;
}

export interface WebPageFilter {
  /** Part of the page's URL. */
  readonly url?: string | undefined;
  readonly status?: WebPageStatus | undefined;
  /** Common issues, each of which must be on the page. */
  readonly commonIssues?: readonly { readonly kind: CheckKind; readonly id: number }[];
}

const COLUMNS = [
  'id',
  'report_id',
  'url',
  'linked_from',
  'http_status',
  'content_type',
  'title',
  'last_checked_at',
  'inserted_at',
  'updated_at',
] as const;

/** `failed` wins over all, and one check pending while another is checked is `checking`. */
const status = sql<WebPageStatus>`(
  SELECT CASE WHEN bool_or(c.status = 'failed') THEN 'failed' WHEN bool_and(c.status = 'checked') THEN 'checked'
    WHEN bool_or(c.status = 'checked') THEN 'checking' ELSE 'pending' END
  FROM checks c WHERE c.web_page_id = web_pages.id)`;

const checks = sql<WebPageWithChecks['checks']>`(
  SELECT coalesce(jsonb_object_agg(c.kind,
    to_jsonb(c) - '{web_page_id,report_id,kind}'::text[] || jsonb_build_object('store_raw', rc.store_raw)), '{}')
  FROM checks c JOIN report_checks rc ON rc.report_id = c.report_id AND rc.kind = c.kind
  WHERE c.web_page_id = web_pages.id)`;

/** A page of a report's web pages, in the order of their ids. */
export async function listWebPages(
  db: Executor,
  reportId: string,
  filter: WebPageFilter,
  page: PageRequest,
): Promise<ListPage<WebPageWithChecks>> {
  let list = db.selectFrom('web_pages').where('web_pages.report_id', '=', reportId);
  if (filter.url !== undefined) list = list.where(contains(sql.ref('web_pages.url'), filter.url));
  if (filter.status !== undefined) list = list.where(status, '=', filter.status);
  for (const common of filter.commonIssues ?? []) {
    list = list.where('web_pages.id', 'in', (eb) =>
      eb
        .selectFrom('issues')
        .innerJoin('common_issues', 'common_issues.id', 'issues.common_issue_id')
        .select('issues.web_page_id')
        .where('common_issues.id', '=', common.id)
        .where('common_issues.kind', '=', common.kind)
        .where('common_issues.report_id', '=', reportId),
    );
  }
  return listPage(list, page, (pages) =>
    pages
      .select(COLUMNS)
      .select([status.as('status'), checks.as('checks')])
      .orderBy('web_pages.id'),
  );
}

export async function findWebPage(db: Executor, reportId: string, id: number): Promise<WebPageWithChecks | undefined> {
  return db
    .selectFrom('web_pages')
    .select(COLUMNS)
    .select([status.as('status'), checks.as('checks')])
    .where('report_id', '=', reportId)
    .where('id', '=', id)
    .executeTakeFirst();
}
