import { withUnmigratedDatabase } from '../foundation.ts';
import { oneLine } from '../platform/shorten.ts';
import { migrate, missingMigrations } from '../store/migrate.ts';
import { migrationText } from '../store/migration-files.ts';
import { createdTables, locksOf, statementsIn } from '../store/migration-statements.ts';
import { knownFault } from './known-fault.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';

/** Characters of a statement that the output shows. */
const STATEMENT_MAX_CHARACTERS = 100;

/** Migrates the database and prints each migration with its time; with `dryRun`, prints what would be applied. */
export async function migrateCommand(terminal: Terminal, { dryRun }: { readonly dryRun: boolean }): Promise<void> {
  const config = terminal.config();
  const print = (line: string): void => void terminal.stdout.write(`${line}\n`);
  await runStoppable(terminal, () =>
    withUnmigratedDatabase(config, quietLogger(terminal, config), async (db) => {
      if (!dryRun) {
        const onApplied = (name: string, ms: number): void => print(`${name}  ${(ms / 1_000).toFixed(2)} s`);
        const onLocked = (name: string): void => print(`${name}  waiting: other connections are using its tables`);
        await migrate(db, { onApplied, onLocked });
        return print('The database is up to date.');
      }
      const missing = await missingMigrations(db);
      for (const name of missing) for (const line of await plannedLines(name)) print(line);
      const all = missing.length === 1 ? '1 migration' : `${missing.length} migrations`;
      print(missing.length === 0 ? 'The database is up to date.' : `${all} would be applied. Nothing was changed.`);
    }).catch((error: unknown) => {
      throw knownFault(error);
    }),
  );
}

/** Returns the name of a migration, with its statements that lock tables that existed before it. */
async function plannedLines(name: string): Promise<string[]> {
  const statements = statementsIn(await migrationText(name));
  const created = new Set(createdTables(statements));
  const locking = statements.flatMap((statement) => {
    const locks = locksOf(statement).filter(({ table }) => !created.has(table));
    const effects = locks.map(({ table, blocks }) => `${blocks} of ${table}`);
    const shown = oneLine(statement, STATEMENT_MAX_CHARACTERS);
    return effects.length === 0 ? [] : `  ${shown}\n    blocks ${effects.join(', ')}`;
  });
  const count = statements.length === 1 ? '1 statement' : `${statements.length} statements`;
  return [`${name}  ${count}`, ...locking];
}
