import { isDeepStrictEqual } from 'node:util';
import { foldedTag, type RetentionRule } from '../domain/retention.ts';
import { isUuid } from '../domain/schemas.ts';
import { InvalidAttribute } from '../platform/errors.ts';
import type { Executor } from '../store/database.ts';
import { readRules } from '../store/reports/retained-reports.ts';
import { findSchedule } from '../store/schedules/schedules.ts';

/**
 * Checks retention rules for an account. Accepts a saved rule whose schedule was deleted with its site, so that the other rules
 * can be changed.
 * @throws InvalidAttribute for a rule without effect, two rules for the same reports, and a schedule that the account does not
 * have
 */
export async function checkRules(db: Executor, accountId: string, rules: readonly RetentionRule[]): Promise<void> {
  const scopes = new Set<string>();
  for (const { tag, schedule_id: scheduleId, ...keeps } of rules) {
    if (tag !== undefined && scheduleId !== undefined)
      throw new InvalidAttribute('rules', 'has a rule with a tag and a schedule: use two rules');
    if (Object.keys(keeps).length === 0)
      throw new InvalidAttribute(
        'rules',
        'has a rule that keeps nothing: set keep_last, keep_days, keep_weekly, keep_monthly or keep_yearly',
      );
    const scope = JSON.stringify([tag === undefined ? null : foldedTag(tag), scheduleId ?? null]);
    if (scopes.has(scope))
      throw new InvalidAttribute('rules', 'has two rules for the same reports: combine them into one rule');
    scopes.add(scope);
  }
  const ofSchedules = rules.filter((rule) => rule.schedule_id !== undefined);
  const saved = ofSchedules.length === 0 ? [] : await readRules(db, accountId);
  for (const rule of ofSchedules) {
    const { schedule_id: id = '' } = rule;
    const schedule = isUuid(id) ? await findSchedule(db, id) : undefined;
    if (schedule?.account_id === accountId || saved.some((other) => isDeepStrictEqual(other, rule))) continue;
    throw new InvalidAttribute('rules', `names a schedule that does not exist: ${id}`);
  }
}
