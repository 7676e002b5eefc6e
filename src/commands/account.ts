import { createAccount } from '../accounts/accounts.ts';
import type { Plan } from '../store/schema.ts';
import { withFoundation } from './with-foundation.ts';

export async function createAccountCommand(options: {
  readonly email: string;
  readonly name: string;
  readonly plan: Plan;
  readonly credits?: number;
}): Promise<void> {
  const { id } = await withFoundation(({ db }) => createAccount(db, options));
  process.stdout.write(`${id}\n`);
}
