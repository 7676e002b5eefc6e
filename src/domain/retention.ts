/** Which reports to keep: rules as data, and the one function that applies them (docs/retention.md). */

/** How many reports a rule keeps. A report is kept if any of these keeps it. */
export interface Keep {
  /** The newest complete reports of each site, and all that are newer than the oldest of them. */
  readonly keep_last?: number;
  /** The reports of the last `keep_days` days. */
  readonly keep_days?: number;
  /**
   * For each site, the newest complete report, or else the newest, of each of the last weeks, months and years with a report.
   * Weeks begin on Monday, in UTC.
   */
  readonly keep_weekly?: number;
  readonly keep_monthly?: number;
  readonly keep_yearly?: number;
}

/** A rule for the reports of a schedule or with a tag, or, if it has neither, for all other reports of the account. */
export interface RetentionRule extends Keep {
  readonly tag?: string;
  readonly schedule_id?: string;
}

/** What retention has to know about a report. */
export interface RetainedReport {
  readonly id: string;
  readonly siteId: string;
  readonly scheduleId: string | null;
  readonly tags: readonly string[];
  readonly createdAt: Date;
  /** Whether it has ended. */
  readonly hasEnded: boolean;
  /** Whether it has a share link. */
  readonly isShared: boolean;
  /** Whether it has the tag `BASELINE_TAG`. */
  readonly isBaseline: boolean;
  /** Whether it is needed to show what got worse on its site. */
  readonly isNeeded: boolean;
  /** Whether it is complete, so that readers of its site see it. */
  readonly isComplete: boolean;
}

/** Reports with this tag are never deleted by rules. */
export const BASELINE_TAG = 'baseline';

/** Why a report is kept. The first that applies counts. */
export const KEPT_REASONS = [
  'running',
  'shared',
  'baseline',
  'needed',
  'newest',
  'no_rule',
  'last',
  'days',
  'weekly',
  'monthly',
  'yearly',
] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

/** What happens to a report: why it is kept, or null if it is deleted. */
export type Fates = ReadonlyMap<string, KeptReason | null>;

const DAY_MS = 86_400_000;

/**
 * Decides which reports to keep. Of several rules, the rule of the schedule applies, else all rules of its tags, else the rule of
 * the account. Without any, a report is kept. Never deletes a report that is running, shared, a baseline or needed by its site,
 * nor the newest complete report of a site or the newest of all. Applied at the same time to the reports that it keeps, it
 * deletes nothing more.
 */
export function retain(reports: readonly RetainedReport[], rules: readonly RetentionRule[], now: Date): Fates {
  const byAge = (a: RetainedReport, b: RetainedReport): number =>
    b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
  const sites = Map.groupBy(reports.toSorted(byAge), ({ siteId }) => siteId);
  return new Map([...sites.values()].flatMap((ofSite) => retainOfSite(ofSite, rules, now)));
}

/** @param reports of one site, the newest first */
function retainOfSite(
  reports: readonly RetainedReport[],
  rules: readonly RetentionRule[],
  now: Date,
): (readonly [id: string, KeptReason | null])[] {
  const newest = new Set([reports[0], reports.find(({ isComplete }) => isComplete)]);
  const governing = new Map(reports.map((report) => [report.id, rulesOf(report, rules)]));
  const kept = new Map<string, KeptReason>();
  for (const [index, rule] of rules.entries()) {
    const ofRule = reports.filter(({ id }) => governing.get(id)?.includes(index));
    for (const [id, reason] of keptBy(rule, ofRule, now)) if (!kept.has(id)) kept.set(id, reason);
  }
  return reports.map((report) => {
    const isGoverned = (governing.get(report.id)?.length ?? 0) > 0;
    const byRule = isGoverned ? (kept.get(report.id) ?? null) : 'no_rule';
    return [report.id, sparedBecause(report, newest.has(report)) ?? byRule];
  });
}

/** Returns the positions of the rules that apply to a report. */
function rulesOf(report: RetainedReport, rules: readonly RetentionRule[]): readonly number[] {
  const matching = (matches: (rule: RetentionRule) => boolean): number[] =>
    rules.flatMap((rule, index) => (matches(rule) ? [index] : []));
  const ofSchedule = matching((rule) => rule.schedule_id !== undefined && rule.schedule_id === report.scheduleId);
  if (ofSchedule.length > 0) return ofSchedule;
  const tags = new Set(report.tags.map(foldedTag));
  const ofTags = matching((rule) => rule.tag !== undefined && tags.has(foldedTag(rule.tag)));
  if (ofTags.length > 0) return ofTags;
  return matching((rule) => rule.tag === undefined && rule.schedule_id === undefined);
}

export function foldedTag(tag: string): string {
  return tag.trim().toLowerCase();
}

function sparedBecause(report: RetainedReport, isNewest: boolean): KeptReason | null {
  if (!report.hasEnded) return 'running';
  if (report.isShared) return 'shared';
  if (report.isBaseline) return 'baseline';
  if (report.isNeeded) return 'needed';
  return isNewest ? 'newest' : null;
}

/** @param reports of one site, the newest first */
function* keptBy(rule: Keep, reports: readonly RetainedReport[], now: Date): Generator<readonly [string, KeptReason]> {
  const { keep_last: last = 0, keep_days: days = 0 } = rule;
  for (const { id } of reports.slice(0, countLast(reports, last))) yield [id, 'last'];
  for (const { id, createdAt } of reports) if (now.getTime() - createdAt.getTime() < days * DAY_MS) yield [id, 'days'];
  for (const [reason, periods, periodOf] of [
    ['weekly', rule.keep_weekly, weekOf],
    ['monthly', rule.keep_monthly, (time: Date) => time.toISOString().slice(0, 7)],
    ['yearly', rule.keep_yearly, (time: Date) => time.toISOString().slice(0, 4)],
  ] as const) {
    const ofPeriods = Map.groupBy(reports, ({ createdAt }): string | number => periodOf(createdAt));
    for (const ofPeriod of [...ofPeriods.values()].slice(0, periods ?? 0)) {
      const chosen = ofPeriod.find(({ isComplete }) => isComplete) ?? ofPeriod[0];
      if (chosen !== undefined) yield [chosen.id, reason];
    }
  }
}

/** Returns how many of the newest reports `keep_last` keeps: as many as have `last` complete ones, and at least `last`. */
function countLast(reports: readonly RetainedReport[], last: number): number {
  if (last === 0) return 0;
  const complete = reports.flatMap(({ isComplete }, index) => (isComplete ? [index + 1] : []));
  return Math.max(last, complete.slice(0, last).at(-1) ?? 0);
}

/** Returns the number of the week of a time, which begins on Monday in UTC. */
function weekOf(time: Date): number {
  // 1 January 1970 was a Thursday.
  return Math.floor((time.getTime() / DAY_MS + 3) / 7);
}
