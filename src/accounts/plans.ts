import type { ReportDefinition } from '../domain/report-definition.ts';
import type { Plan } from '../store/schema.ts';

export const PLANS = ['free', 'pro', 'enterprise'] as const satisfies readonly Plan[];

/**
 * The limits of a plan: web pages of a report, requests per second of a report, reports crawled at a time, reports waiting to be
 * crawled, guest accounts. The reports of a host's guests count as its own.
 */
export type PlanLimits = Readonly<Record<LimitName, number>>;
type LimitName = keyof typeof LIMIT_RANGES;

/** The values that an operator may set for each limit. Larger values would overload the database or sites. */
const LIMIT_RANGES = {
  max_pages: { min: 1, max: 1_000_000 },
  rate_limit: { min: 1, max: 1_000 },
  running_reports: { min: 1, max: 10_000 },
  waiting_reports: { min: 1, max: 1_000_000 },
  guest_accounts: { min: 0, max: 10_000 },
} as const;
const isLimitName = (word: string): word is LimitName => Object.hasOwn(LIMIT_RANGES, word);

export type LimitsOfPlans = Readonly<Record<Plan, PlanLimits>>;

/** The attributes of a report that a plan limits. */
export const PLAN_LIMITED = ['max_pages', 'rate_limit'] as const satisfies readonly LimitName[];
/** The limits in the contract, which are the same for every plan. */
const OF_A_REPORT = { max_pages: 10_000, rate_limit: 100 } as const satisfies Record<
  (typeof PLAN_LIMITED)[number],
  number
>;

/** The limits unless an operator sets others. */
export const DEFAULT_LIMITS: LimitsOfPlans = {
  free: { ...OF_A_REPORT, running_reports: 10, waiting_reports: 100, guest_accounts: 0 },
  pro: { ...OF_A_REPORT, running_reports: 50, waiting_reports: 1_000, guest_accounts: 10 },
  enterprise: { ...OF_A_REPORT, running_reports: 200, waiting_reports: 10_000, guest_accounts: 1_000 },
};

/** Returns a definition reduced to the limits of a plan, which may have changed since it was saved. */
export function withinPlan(definition: ReportDefinition, limits: PlanLimits): ReportDefinition {
  const within = { ...definition };
  for (const name of PLAN_LIMITED) within[name] = Math.min(definition[name], limits[name]);
  return within;
}

/** Returns the highest `rate_limit` that any plan allows. */
export function highestRateLimit(limits: LimitsOfPlans): number {
  return Math.max(...PLANS.map((plan) => limits[plan].rate_limit));
}

/**
 * Returns the default limits with changes from a string: `max_pages=500` for all plans, `free.max_pages=100` for one, separated
 * by commas. Later values win.
 * @throws Error with a message that follows the name of the setting: `must …`
 */
export function parsePlanLimits(text: string): LimitsOfPlans {
  const limits: Record<Plan, Record<LimitName, number>> = structuredClone(DEFAULT_LIMITS);
  for (const part of text.split(',').filter((item) => item.trim() !== '')) {
    const [, planWord, name = '', number] = /^\s*(?:(\w+)\.)?(\w+)\s*=\s*(\d+)\s*$/.exec(part) ?? [];
    const plans = PLANS.filter((plan) => planWord === undefined || plan === planWord);
    if (plans.length === 0 || !isLimitName(name)) {
      const names = `PLAN one of ${PLANS.join(', ')} and LIMIT one of ${Object.keys(LIMIT_RANGES).join(', ')}`;
      throw new Error(`must list LIMIT=NUMBER or PLAN.LIMIT=NUMBER, with ${names}, not "${part.trim()}"`);
    }
    const { min, max } = LIMIT_RANGES[name];
    const value = Number(number);
    if (value < min || value > max) throw new Error(`must have ${name} from ${min} to ${max}, not "${part.trim()}"`);
    for (const plan of plans) limits[plan][name] = value;
  }
  return limits;
}
