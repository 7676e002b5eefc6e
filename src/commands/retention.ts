import { findAccountByEmailOrId } from '../accounts/accounts.ts';
import { formatNumber, plural, sizeWords } from '../domain/amounts.ts';
import { KEPT_REASONS, type Keep, type KeptReason, type RetentionRule } from '../domain/retention.ts';
import { AppError, InvalidAttribute } from '../platform/errors.ts';
import { previewRetention } from '../reports/apply-retention.ts';
import { checkRules } from '../reports/check-retention.ts';
import { readRules, reportsToShow } from '../store/reports/retained-reports.ts';
import type { Terminal } from './terminal.ts';
import { table, writeText } from './text-layout.ts';
import { withFoundation } from './with-foundation.ts';

export interface RetentionPreviewOptions {
  readonly account: string;
  readonly tag?: string;
  readonly schedule?: string;
  readonly keepLast?: number;
  readonly keepDays?: number;
  readonly keepWeekly?: number;
  readonly keepMonthly?: number;
  readonly keepYearly?: number;
  readonly json: boolean;
}

/** Prints what the stored rules of an account, or the rule in the options instead of them, would delete now. */
export async function previewRetentionCommand(terminal: Terminal, options: RetentionPreviewOptions): Promise<void> {
  const given = ruleOf(options);
  const { preview, deleted } = await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    if (given !== null) await checkRules(db, id, [given]).catch(refuseUsage);
    const rules = given === null ? await readRules(db, id) : [given];
    const found = await previewRetention(db, id, rules, new Date());
    return { preview: found, deleted: await reportsToShow(db, found.deleted) };
  });
  const { bytes, isUpperBound, kept } = preview;
  if (options.json) {
    const reports = deleted.map(({ id, starting_url, inserted_at }) => ({ id, starting_url, inserted_at }));
    terminal.stdout.write(
      `${JSON.stringify({ deleted: reports, bytes, bytes_at_most: isUpperBound, kept }, null, 2)}\n`,
    );
    return;
  }
  const size = `${isUpperBound ? 'at most ' : ''}${sizeWords(bytes)}`;
  writeText(terminal.stdout, `Would delete ${plural(deleted.length, 'report')} and free ${size}.`);
  if (deleted.length > 0) {
    const rows = deleted.map(({ id, starting_url, inserted_at }) => [id, inserted_at.toISOString(), starting_url]);
    terminal.stdout.write(table(rows));
  }
  const reasons = KEPT_REASONS.filter((reason) => kept[reason] > 0);
  if (reasons.length === 0) return;
  const numKept = reasons.reduce((sum, reason) => sum + kept[reason], 0);
  const words = reasons.map((reason) => `${formatNumber(kept[reason])} ${KEPT_WORDS[reason]}`);
  writeText(terminal.stdout, `Would keep ${plural(numKept, 'report')}: ${words.join(', ')}.`);
}

const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  running: 'not ended',
  shared: 'shared',
  baseline: 'as a baseline',
  needed: 'to show what got worse on a site',
  newest: 'as the newest of a site',
  no_rule: 'without a rule',
  last: 'by keep_last',
  days: 'by keep_days',
  weekly: 'by keep_weekly',
  monthly: 'by keep_monthly',
  yearly: 'by keep_yearly',
};

function refuseUsage(error: unknown): never {
  if (!(error instanceof InvalidAttribute)) throw error;
  throw new AppError('invalid_usage', `The rule in the options ${error.problem}.`);
}

function ruleOf({ tag, schedule, ...options }: RetentionPreviewOptions): RetentionRule | null {
  const keep: Keep = {
    ...(options.keepLast !== undefined && { keep_last: options.keepLast }),
    ...(options.keepDays !== undefined && { keep_days: options.keepDays }),
    ...(options.keepWeekly !== undefined && { keep_weekly: options.keepWeekly }),
    ...(options.keepMonthly !== undefined && { keep_monthly: options.keepMonthly }),
    ...(options.keepYearly !== undefined && { keep_yearly: options.keepYearly }),
  };
  const isEmpty = Object.keys(keep).length === 0;
  if (isEmpty && (tag !== undefined || schedule !== undefined))
    throw new AppError('invalid_usage', '--tag and --schedule require an option such as --keep-last.');
  if (isEmpty) return null;
  return { ...keep, ...(tag !== undefined && { tag }), ...(schedule !== undefined && { schedule_id: schedule }) };
}
