import type { QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/queries/account.ts';
import { reportQuery, sharedReportQuery } from '../api/queries/reports.ts';

/** The queries that routes start while the code of their screens loads. The screens read the results from the cache. */

interface Loading {
  readonly context: { readonly queries: QueryClient };
  readonly params: { readonly report?: string; readonly secret?: string };
}

export function loadAccount({ context }: Loading): void {
  void context.queries.prefetchQuery(accountQuery);
}

export function loadReport({ context, params }: Loading): void {
  void context.queries.prefetchQuery(reportQuery(params.report ?? ''));
}

export function loadSharedReport({ context, params }: Loading): void {
  void context.queries.prefetchQuery(sharedReportQuery(params.secret ?? ''));
}
