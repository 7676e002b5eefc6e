import type { ReportDefinition } from '../domain/report-definition.ts';
import type { Plan } from '../store/schema.ts';

export const PLANS = ['free', 'pro', 'enterprise'] as const satisfies readonly Plan[];

/**
 * What an account of a plan may ask for at most, in the API's words: web pages that one report may include, requests per
 * second that one report may send to a site, reports that may be crawled at a time, reports that may wait to be crawled,
 * guest accounts that may exist at a time. Reports of a host's guests count as its own.
 */
export type PlanLimits = Readonly<Record<LimitName, number>>;
type LimitName = keyof typeof LIMIT_RANGES;

/** What an operator may set each limit to: beyond the greatest, databases and sites suffer rather than gain. */
const LIMIT_RANGES = {
  max_pages: { min: 1, max: 1_000_000 },
  rate_limit: { min: 1, max: 1_000 },
  running_reports: { min: 1, max: 10_000 },
  waiting_reports: { min: 1, max: 1_000_000 },
  guest_accounts: { min: 0, max: 10_000 },
} as const;
const LIMIT_NAMES = [
  'max_pages',
  'rate_limit',
  'running_reports',
  'waiting_reports',
  'guest_accounts',
] as const satisfies readonly LimitName[];

export type LimitsOfPlans = Readonly<Record<Plan, PlanLimits>>;

/** The attributes of a report that a plan limits. */
export const PLAN_LIMITED = ['max_pages', 'rate_limit'] as const satisfies readonly LimitName[];
/** The contract's, the same for every plan. */
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

/** A definition, no part of which exceeds what a plan allows: what was allowed when it was written may not be any more. */
export function withinPlan(definition: ReportDefinition, limits: PlanLimits): ReportDefinition {
  const within = { ...definition };
  for (const name of PLAN_LIMITED) within[name] = Math.min(definition[name], limits[name]);
  return within;
}

/** The most requests per second that a report of any plan may send. */
export function highestRateLimit(limits: LimitsOfPlans): number {
  return Math.max(...PLANS.map((plan) => limits[plan].rate_limit));
}

/** Whether a plan includes what the contract marks as Pro. */
export function hasPro(plan: Plan): boolean {
  return plan !== 'free';
}

/**
 * The default limits with those changed that a text names: `max_pages=500` for all plans, `free.max_pages=100` for one,
 * separated by commas. What stands later wins.
 * @throws Error whose message says what the text must be, to be put behind its name
 */
export function parsePlanLimits(text: string): LimitsOfPlans {
  const limits: Record<Plan, Record<LimitName, number>> = structuredClone(DEFAULT_LIMITS);
  for (const part of text.split(',').filter((item) => item.trim() !== '')) {
    const [, planWord, limitWord, number] = /^\s*(?:(\w+)\.)?(\w+)\s*=\s*(\d+)\s*$/.exec(part) ?? [];
    const plans = PLANS.filter((plan) => planWord === undefined || plan === planWord);
    const name = LIMIT_NAMES.find((candidate) => candidate === limitWord);
    if (plans.length === 0 || name === undefined) {
      const names = `PLAN one of ${PLANS.join(', ')} and LIMIT one of ${LIMIT_NAMES.join(', ')}`;
      throw new Error(`must list LIMIT=NUMBER or PLAN.LIMIT=NUMBER, with ${names}, not "${part.trim()}"`);
    }
    const { min, max } = LIMIT_RANGES[name];
    const value = Number(number);
    if (value < min || value > max) throw new Error(`must have ${name} from ${min} to ${max}, not "${part.trim()}"`);
    for (const plan of plans) limits[plan][name] = value;
  }
  return limits;
}
