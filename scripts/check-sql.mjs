/**
 * Checks where SQL stands: only `src/store` and `src/queue` build statements, and what belongs to a report changes only through
 * `changeReport` (src/store/change-report.ts): a module that writes to the tables of reports imports it, or its name and reason
 * stand below.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const REPORT_TABLES = [
  'reports',
  'report_checks',
  'web_pages',
  'checks',
  'raw_checks',
  'issues',
  'common_issues',
  'report_mutings',
  'discovered_urls',
  'excluded_urls',
];

/** Modules that write to these tables without changing what a report says. */
const OTHER_WRITERS = {
  'queue/claims.ts': 'claims and attempts, fenced by claim numbers',
  'queue/worker.ts': 'claims of workers that died',
  'queue/host-claims.ts': 'the hosts of a crawl, fenced by its claim number',
};

const BUILDERS = ['store', 'queue'];
const BUILT = /^import (?!type\b)[^;]*?from 'kysely'|\.(?:selectFrom|updateTable|insertInto|deleteFrom)\('/m;
const tables = REPORT_TABLES.join('|');
const WRITE = new RegExp(
  `\\.(?:updateTable|insertInto|deleteFrom)\\('(?:${tables})\\b|\\b(?:UPDATE|INSERT INTO|DELETE FROM) (?:${tables})\\b`,
);

const root = join(import.meta.dirname, '..', 'src');
const faults = [];
for (const name of readdirSync(root, { recursive: true }).filter((file) => file.endsWith('.ts'))) {
  const file = name.split(sep).join('/');
  const text = readFileSync(join(root, name), 'utf8');
  if (!BUILDERS.includes(file.split('/')[0]) && BUILT.test(text)) {
    faults.push(`src/${file} builds SQL: statements belong into src/store.`);
  }
  const isChange = file === 'store/change-report.ts' || text.includes("from './change-report.ts'");
  if (WRITE.test(text) && !isChange && !(file in OTHER_WRITERS)) {
    faults.push(`src/${file} writes to a table of reports: it must take a ReportChange of src/store/change-report.ts.`);
  }
  if (
    /\b(?:refund|takeReportCredits)\b[^;]*from '[./a-z]*credits\.ts'/.test(text) &&
    file !== 'store/change-report.ts'
  ) {
    faults.push(`src/${file} takes or gives back a report's credits: use the methods of ReportChange.`);
  }
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
