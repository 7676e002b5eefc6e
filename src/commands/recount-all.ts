import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { plural } from '../domain/amounts.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { living } from '../store/living-workers.ts';
import { AREAS, type Area, type Finding, isStoredReport, type Recounted, recount } from '../store/recount/recount.ts';
import type { DoctorOutput } from './doctor-output.ts';

interface RecountAll {
  readonly report?: string;
  readonly config: Pick<Config, 'scheduleTimeMs'>;
  readonly box: SecretBox | null;
  readonly signal: AbortSignal;
  readonly output: DoctorOutput;
}

/** Findings of an area that are printed. The rest are counted. */
const SHOWN_MAX = 1_000;

/**
 * Recounts and reads everything stored, and prints a line for each area with what is wrong below it.
 * @throws AppError invalid_usage if there is no such report
 */
export async function recountAll(app: App, { report, config, box, signal, output }: RecountAll): Promise<void> {
  const reportId = report ?? null;
  if (reportId !== null && !(await isStoredReport(app.db, reportId))) {
    throw new AppError('invalid_usage', `--report: there is no report ${reportId}.`);
  }
  const found = new Map<Area, { count: number; readonly shown: Finding[] }>(
    AREAS.map((area) => [area, { count: 0, shown: [] }]),
  );
  const recounted = await onOwnConnections(app, (db) =>
    recount(db, {
      ...{ reportId, box, living, signal, scheduleTimeMs: config.scheduleTimeMs },
      onFinding(finding) {
        const area = found.get(finding.area);
        if (area === undefined) return;
        area.count += 1;
        if (area.shown.length < SHOWN_MAX) area.shown.push(finding);
      },
      onProgress: (part, done, total) => output.progress(total > 1 ? `${part}: ${done} of ${total}` : part),
    }),
  ).catch((error: unknown) => output.print('recount', messageOf(error)));
  if (recounted === undefined) return;
  output.printSums(recounted);
  for (const [area, { count, shown }] of found) {
    const { problems, fine, remedy } = WORDS[area];
    const problem = count === 0 ? null : `${problems(count)}: ${remedy}`;
    output.print(area, problem, fine(recounted));
    for (const finding of shown) output.printFinding(finding);
    if (count > shown.length) output.printFinding({ ...NONE, area, what: `and ${count - shown.length} more` });
  }
}

const NONE = { report_id: null, stored: null, counted: null } as const;

interface AreaWords {
  readonly problems: (count: number) => string;
  readonly fine: (recounted: Recounted) => string;
  readonly remedy: string;
}

const BUG = 'report it as a bug, with the lines below';
const DAMAGE = 'check the disk; restore a backup, or check the pages again';

const WORDS: Readonly<Record<Area, AreaWords>> = {
  sums: {
    problems: (count) => `${plural(count, 'stored sum')} ${count === 1 ? 'differs' : 'differ'} from a recount`,
    fine: ({ reports }) => `recounted ${plural(reports, 'report')}`,
    remedy: BUG,
  },
  orphans: {
    problems: (count) => `${plural(count, 'problem')} with rows whose owner is missing`,
    fine: () => 'every row has its owner',
    remedy: DAMAGE,
  },
  contents: {
    problems: (count) => `${plural(count, 'stored item')} cannot be read`,
    fine: ({ contents }) => `read ${plural(contents, 'stored item')}`,
    remedy: DAMAGE,
  },
  states: {
    problems: (count) => plural(count, 'contradictory state'),
    fine: () => 'all states are consistent',
    remedy: BUG,
  },
  stuck: {
    problems: (count) => `${plural(count, 'task')} waiting although workers are running`,
    fine: () => 'no work has been waiting for longer than it should',
    remedy: 'restart serve and work; if that does not help, report it as a bug',
  },
};

/** Longer than any statement takes on ten million issues; the database cancels statements after this time. */
const STATEMENT_TIMEOUT_MS = 900_000;

/** Runs long statements on separate connections, so that the service keeps all of its own. */
async function onOwnConnections<Result>(app: App, run: (db: Database) => Promise<Result>): Promise<Result> {
  const limits = { connectionsMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const { db, close } = openDatabase(app.connectionString, () => undefined, { use: 'background', limits });
  try {
    return await run(db);
  } finally {
    await close();
  }
}
