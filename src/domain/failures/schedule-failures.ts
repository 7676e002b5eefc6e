import { plural } from '../amounts.ts';

/** Why a run of a schedule created no report. */
export const SCHEDULE_FAILURES = {
  plan_without_schedules: () => 'Schedules need a Pro or Enterprise plan.',
  not_enough_credits: ({ payer }: { readonly payer: 'account' | 'guest' }) =>
    payer === 'account'
      ? 'There are not enough credits left. Ask the operator of this installation for more.'
      : "The guest's credits for this month are used up. Ask the host to raise the limit, or wait until next month.",
  too_many_waiting: ({ max }: { readonly max: number }) =>
    `${plural(max, 'report')} ${max === 1 ? 'is' : 'are'} waiting to be crawled, the maximum of the plan. Try again when one of them has started.`,
};
