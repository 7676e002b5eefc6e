/** Why a run of a schedule created no report. */
export const SCHEDULE_FAILURES = {
  plan_without_schedules: () => 'Schedules need a Pro or Enterprise plan.',
  not_enough_credits: ({ payer }: { readonly payer: 'account' | 'guest' }) =>
    payer === 'account'
      ? 'There are not enough credits left. Ask the operator of this service for more.'
      : "The guest's credits for this month are used up. Ask the host to raise the limit, or wait until next month.",
  too_many_waiting: ({ max }: { readonly max: number }) =>
    `${max === 1 ? '1 report waits' : `${max} reports wait`} to be crawled, which is as many as the plan allows. Try again when some of them have begun.`,
};
