import type { Item } from '../../api/client.ts';

/** Pages of a new report, if the plan allows as many. */
const pages = 100;

/** Whether the plan includes what only paying accounts may do. */
export function hasPro({ plan }: Pick<Item<'account'>, 'plan'>): boolean {
  return plan !== 'free';
}

/** Returns what a new report is made with unless one says otherwise. The API decides the rest. */
export function newReportDefaults(account: Pick<Item<'account'>, 'plan' | 'limits'>) {
  return {
    max_pages: Math.min(pages, account.limits.max_pages),
    perform_html_checks: true,
    ...(hasPro(account) && { perform_a11y_checks: true }),
  };
}
