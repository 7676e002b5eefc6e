/**
 * Checks where SQL is written: only `src/store` and `src/queue` build statements, and reports change, and notify their readers,
 * only through `reportTransaction` (src/store/reports/report-transaction.ts). A module that writes to the tables of reports must
 * import it or be listed below with a reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const REPORT_TABLES = [
  'reports',
  'report_checks',
  'web_pages',
  'checks',
  'raw_checks',
  'screenshots',
  'issues',
  'common_issues',
  'report_mutings',
  'discovered_urls',
  'excluded_urls',
  'fixes',
  'issue_changes',
  'former_issues',
  'report_checks_at_end',
  'pages_before_recheck',
  'checks_before_recheck',
  'issues_before_recheck',
  'rechecks',
  'recheck_checks',
  'recheck_counts',
];

/** Modules that write to these tables without changing what readers see of a report. */
const OTHER_WRITERS = {
  'store/reports/reports.ts': 'new reports, which nobody else can see yet',
  'store/reports/results-at-end.ts': 'the counts of a report that reportTransaction ends',
  'queue/claims.ts': 'claims and attempts, fenced by claim numbers',
  'queue/worker.ts': 'claims of workers that died',
  'queue/host-claims.ts': 'the hosts of a crawl, fenced by its claim number',
};

/** Modules that notify readers of changes without `reportTransaction`. */
const ANNOUNCERS = {
  'store/reports/change-announcements.ts': 'the definition',
  'store/reports/report-transaction.ts': 'changes of reports',
  'store/accounts/guest-accounts.ts': 'reports that their readers lose with a guest account',
  'reports/create-report.ts': 'new reports',
};

const NOTIFIERS = ['store/reports/change-announcements.ts', 'store/work-topics.ts'];

const BUILDERS = ['store', 'queue'];
const BUILT = /^import (?!type\b)[^;]*?from 'kysely'|\.(?:selectFrom|updateTable|insertInto|deleteFrom|mergeInto)\('/m;
const tables = REPORT_TABLES.join('|');
const WRITE = new RegExp(
  `\\.(?:updateTable|insertInto|deleteFrom|mergeInto)\\('(?:${tables})\\b|\\b(?:UPDATE|INSERT INTO|DELETE FROM|MERGE INTO|TRUNCATE) (?:ONLY )?(?:${tables})\\b`,
);

const root = join(import.meta.dirname, '..', 'src');
const faults = [];
for (const name of readdirSync(root, { recursive: true }).filter((file) => file.endsWith('.ts'))) {
  const file = name.split(sep).join('/');
  const text = readFileSync(join(root, name), 'utf8');
  if (!BUILDERS.includes(file.split('/')[0]) && BUILT.test(text)) {
    faults.push(`src/${file} builds SQL: move the statement to src/store.`);
  }
  const isChange = file === 'store/reports/report-transaction.ts' || /from '[^']*\/report-transaction\.ts'/.test(text);
  if (WRITE.test(text) && !isChange && !(file in OTHER_WRITERS)) {
    faults.push(
      `src/${file} writes to a table of reports: use reportTransaction of src/store/reports/report-transaction.ts.`,
    );
  }
  if (/\bannounceChanges\b/.test(text) && !(file in ANNOUNCERS)) {
    faults.push(`src/${file} announces changes of reports: reportTransaction does so.`);
  }
  if (text.includes('pg_notify') && !NOTIFIERS.includes(file)) {
    faults.push(`src/${file} sends NOTIFY: use ${NOTIFIERS.join(' or ')}.`);
  }
  if (
    /\b(?:refund|takeReportCredits)\b[^;]*from '[./a-z]*credits\.ts'/.test(text) &&
    file !== 'store/reports/report-transaction.ts'
  ) {
    faults.push(`src/${file} takes or refunds credits of a report: use the methods of ReportTransaction.`);
  }
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
