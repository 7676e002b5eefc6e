import { findAccountByEmailOrId } from '../accounts/accounts.ts';
import { allActions } from '../store/accounts/audit-log.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Prints the audit log, one entry as JSON in each line, oldest first. */
export async function auditCommand(terminal: Terminal, options: { readonly account?: string }): Promise<void> {
  await withFoundation(terminal, async ({ db }) => {
    const { account } = options;
    const accountId = account === undefined ? null : (await findAccountByEmailOrId(db, account)).id;
    for await (const entry of allActions(db, accountId)) terminal.stdout.write(`${JSON.stringify(entry)}\n`);
  });
}
