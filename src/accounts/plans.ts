import type { Plan } from '../store/schema.ts';

/** What an account of a plan may ask for. The contract's limits are the defaults of every plan. */
export interface PlanLimits {
  /** Web pages that one report may include. */
  readonly maxPagesMax: number;
  /** Requests per second that one report may send to a site. */
  readonly rateLimitMax: number;
  /** Guest accounts that may exist at a time. */
  readonly guestsMax: number;
}

const DEFAULT_LIMITS = { maxPagesMax: 10_000, rateLimitMax: 100 };

const LIMITS_OF_PLAN: Readonly<Record<Plan, PlanLimits>> = {
  free: { ...DEFAULT_LIMITS, guestsMax: 0 },
  pro: { ...DEFAULT_LIMITS, guestsMax: 10 },
  enterprise: { ...DEFAULT_LIMITS, guestsMax: 1_000 },
};

/** Whether a plan includes what the contract marks as Pro. */
export function hasPro(plan: Plan): boolean {
  return plan !== 'free';
}

export function limitsOf(plan: Plan): PlanLimits {
  return LIMITS_OF_PLAN[plan];
}
