import type { Item } from './client.ts';

/**
 * The defaults of reports in every interface: dashboard, `check`, CI jobs, agents, configuration files (decision 0030). The
 * API has defaults of its own, which its contract sets.
 */
export const REPORT_DEFAULTS = {
  max_pages: 100,
  rate_limit: 5,
  perform_html_checks: true,
  perform_a11y_checks: true,
} as const;

/** The device to offer first: the width that most sites are designed for. Reports without a device have 800 × 600. */
export const DESKTOP_DEVICE = 'Desktop Chrome';

/** The plan of an account with its limits, as far as they decide what a report may have. */
export interface DefaultsAccount {
  readonly plan: Item<'account'>['plan'];
  readonly limits: Pick<Item<'account'>['limits'], 'max_pages' | 'rate_limit'>;
}

/** Whether the plan includes what the contract marks as Pro. */
export function hasPro({ plan }: Pick<DefaultsAccount, 'plan'>): boolean {
  return plan !== 'free';
}

/** Returns the defaults for an account: within its limits, and without what its plan lacks, which it may not even refuse. */
export function reportDefaults(account: DefaultsAccount) {
  const { perform_a11y_checks, max_pages, rate_limit, ...others } = REPORT_DEFAULTS;
  return {
    ...others,
    max_pages: Math.min(max_pages, account.limits.max_pages),
    rate_limit: Math.min(rate_limit, account.limits.rate_limit),
    ...(hasPro(account) && { perform_a11y_checks }),
  };
}
