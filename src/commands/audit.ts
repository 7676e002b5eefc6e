import { Readable } from 'node:stream';
import { findAccountByEmailOrId } from '../accounts/accounts.ts';
import { utcTime } from '../platform/utc-time.ts';
import { allActions } from '../store/accounts/audit-log.ts';
import type { Database } from '../store/database.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';
import { writeToPipe } from './write-to-pipe.ts';

/** Prints the audit log, one entry as JSON in each line, oldest first. */
export async function auditCommand(terminal: Terminal, options: { readonly account?: string }): Promise<void> {
  await withFoundation(terminal, async ({ db }) => {
    const { account } = options;
    const accountId = account === undefined ? null : (await findAccountByEmailOrId(db, account)).id;
    await writeToPipe(Readable.from(linesOf(db, accountId)), terminal.stdout);
  });
}

async function* linesOf(db: Database, accountId: string | null): AsyncGenerator<string> {
  for await (const entry of allActions(db, accountId)) {
    yield `${JSON.stringify({ ...entry, inserted_at: utcTime(entry.inserted_at) })}\n`;
  }
}
