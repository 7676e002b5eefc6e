import { type Command, Option } from 'commander';
import { PLANS } from '../accounts/plans.ts';
import type { Plan } from '../store/schema.ts';
import { wholeNumber, wholeNumberFromZero } from './option-values.ts';
import type { Terminal } from './terminal.ts';

/** Adds the commands that manage accounts. */
export function addAccount(program: Command, terminal: Terminal): void {
  const account = program.command('account').description('manage accounts').exitOverride();
  account
    .command('create')
    .description('create an account and print its id')
    .requiredOption('--email <address>', 'email address')
    .option('--name <name>', 'name', '')
    .addOption(new Option('--plan <plan>', 'plan').choices(PLANS).default('enterprise'))
    .option('--credits <number>', 'initial credits (default: unlimited)', wholeNumberFromZero)
    .option('--operator', 'let the account manage the whole installation in the dashboard and the API', false)
    .action(async (options: { email: string; name: string; plan: Plan; credits?: number; operator: boolean }) =>
      (await import('./account.ts')).createAccountCommand(terminal, options),
    );
  account
    .command('list')
    .description('list accounts with their number of reports and, where they are limited, their plans and credits')
    .option('--json', 'print JSON, with sites, pages and sizes', false)
    .action(async (options: { json: boolean }) =>
      (await import('./account.ts')).listAccountsCommand(terminal, options),
    );
  account
    .command('link')
    .description('print a link to set a new password and sign in; it works once and expires after an hour')
    .requiredOption('--email <address-or-id>', 'the account')
    .option('--revoke-tokens', 'also revoke its API tokens, which otherwise stay valid')
    .action(async (options: { email: string; revokeTokens?: boolean }) =>
      (await import('./account.ts')).linkAccountCommand(terminal, options),
    );
  account
    .command('profile')
    .description('change the name and the email address of an account and print them')
    .requiredOption('--account <email-or-id>', 'the account')
    .option('--name <name>', 'the new name')
    .option('--email <address>', 'the new email address')
    .action(async (options: { account: string; name?: string; email?: string }) =>
      (await import('./account.ts')).changeProfileCommand(terminal, options),
    );
  account
    .command('plan')
    .description('change the plan of an account')
    .requiredOption('--account <email-or-id>', 'the account')
    .addOption(new Option('--set <plan>', 'the new plan').choices(PLANS).makeOptionMandatory())
    .action(async (options: { account: string; set: Plan }) =>
      (await import('./account.ts')).changePlanCommand(terminal, options),
    );
  account
    .command('credits')
    .description('change the credits of an account and print its balance')
    .requiredOption('--account <email-or-id>', 'the account')
    .option('--set <number>', 'the new balance, or "unlimited"', balance)
    .option('--add <number>', 'credits to add', wholeNumber)
    .action(async (options: { account: string; set?: number | 'unlimited'; add?: number }) =>
      (await import('./account.ts')).changeCreditsCommand(terminal, options),
    );
  addStates(account, terminal);
}

/** Adds the commands that end accounts or change what they are allowed to do. */
function addStates(account: Command, terminal: Terminal): void {
  const changing = (name: string, description: string): Command =>
    account
      .command(name)
      .description(description)
      .argument('<email-or-id>', 'the account')
      .option('--json', 'print the account as JSON', false);
  const setDisabled =
    (isDisabled: boolean) =>
    async (emailOrId: string, options: { json: boolean }): Promise<void> =>
      (await import('./account.ts')).setDisabledCommand(terminal, emailOrId, { ...options, isDisabled });
  changing(
    'disable',
    'refuse all use of an account: end its sessions, stop its reports and pause its schedules',
  ).action(setDisabled(true));
  changing('enable', 'enable a disabled account').action(setDisabled(false));
  changing('operator', 'let an account manage the whole installation in the dashboard and the API')
    .option('--revoke', 'remove this permission', false)
    .action(async (emailOrId: string, options: { json: boolean; revoke: boolean }) =>
      (await import('./account.ts')).setOperatorCommand(terminal, emailOrId, options),
    );
  changing('delete', 'delete an account with its sites, reports and everything else that it owns')
    .option('--yes', 'delete it instead of printing what would be deleted', false)
    .action(async (emailOrId: string, options: { json: boolean; yes: boolean }) =>
      (await import('./account.ts')).deleteAccountCommand(terminal, emailOrId, options),
    );
}

/** Commander ignores a parser's null, so `unlimited` stays a string. */
function balance(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : wholeNumberFromZero(text);
}
