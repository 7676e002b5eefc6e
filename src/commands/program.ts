import { Command, Help, InvalidArgumentError, Option } from 'commander';
import { PLANS } from '../accounts/plans.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { VERSION } from '../platform/version.ts';
import type { Plan, TokenScope } from '../store/schema.ts';
import { changeCreditsCommand, changePlanCommand, createAccountCommand, listAccountsCommand } from './account.ts';
import { type CheckOptions, check, FAIL_ON } from './check.ts';
import { deviceIdOf } from './device-option.ts';
import { doctor } from './doctor.ts';
import { migrateCommand } from './migrate.ts';
import { serve } from './serve.ts';
import { createTokenCommand, listTokensCommand, revokeTokenCommand } from './token.ts';
import { work } from './work.ts';

/** The command line: words, options and their help. What the commands do stands in a file each. */
export function createProgram(): Command {
  const program = new Command('sitewarden')
    .description('Validates whole websites: the W3C HTML check and axe-core accessibility checks on every page.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('Add --help to see what is possible.')
    .configureHelp({ optionDescription: describeOption });
  program
    .command('serve', { isDefault: true })
    .description('API and workers in one process; what `npm start` runs')
    // A command that nobody knows arrives here, too.
    .allowExcessArguments()
    .action((_options: unknown, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) {
        const nearest = nearestName(
          unknown,
          program.commands.map((known) => known.name()),
        );
        program.error(`error: unknown command '${unknown}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`);
      }
      return serve();
    });
  program.command('work').description('workers only, for further machines (needs DATABASE_URL)').action(work);
  addCheck(program);
  addAccount(program);
  addToken(program);
  program.command('doctor').description('checks runtime, database, validator, browser and disk').action(doctor);
  program.command('migrate').description('brings the database to the newest schema').action(migrateCommand);
  return program;
}

/** Without the defaults that say nothing: off, and empty. */
function describeOption(option: Option): string {
  const preset = [option.defaultValue].flat().join();
  return preset === '' || preset === 'false' ? option.description : new Help().optionDescription(option);
}

const FROM_FILE = '@FILE reads it from a file, @- from standard input';

function addCheck(program: Command): void {
  program
    .command('check')
    .description('validates a site in the terminal')
    .argument('<url>', 'where to start, such as https://example.com/')
    .option('--max-pages <number>', 'pages to include at most', wholeNumber, 10)
    .option('--rate-limit <number>', 'document requests per second at most', wholeNumber, 10)
    .option('--a11y', 'check accessibility with axe-core as well', false)
    .option('--no-html', 'leave the HTML check out')
    .option('--no-deep-crawl', 'take only the pages that the starting page links to')
    .option('--no-prefer-canonical-urls', 'take pages as they are linked, whatever canonical URL they name')
    .option('--dynamic-crawler', 'render pages in the browser to find the links that scripts make', false)
    .option('--respect-robots-txt', "keep to the site's robots.txt", false)
    .option('--initial-url <url>', 'a URL to include from the start; may be repeated', collect, [])
    .option(
      '--exclude <url-or-path>',
      'what to skip: the beginning of a URL, or a part of one; may be repeated',
      collect,
      [],
    )
    .option('--device <name-or-id>', 'device to emulate in accessibility checks, such as "iPhone 15"', deviceIdOf, '')
    .option('--device-rotated', 'rotate the emulated viewport', false)
    .option('--wait-for <selector>', 'CSS selector of what pages are waited for before they are judged', '')
    .option('--basic-auth <user:password>', `sign in with HTTP Basic, on the site's own origin; ${FROM_FILE}`)
    .option(
      '--header <name: value>',
      `send a header to the site's own origin; may be repeated; ${FROM_FILE}`,
      collect,
      [],
    )
    .option(
      '--cookie <name=value>',
      `send a cookie to the site's own origin; may be repeated; ${FROM_FILE}`,
      collect,
      [],
    )
    .option('--tags <list>', 'comma-separated categories of the report', '')
    .addOption(new Option('--format <list>', 'formats of the files to write, comma-separated: json'))
    .option('--output <directory>', 'where to write the files')
    .option('--fail-on <list>', `what counts against passing, comma-separated: ${FAIL_ON.join(', ')}`, 'error')
    .option('--max-issues <number>', 'issues of that kind that still pass', wholeNumberFromZero, 0)
    .option('--keep', 'keep the report in the database, to look at it through the API', false)
    .action((url: string, options: CheckOptions) => check(url, options));
}

function addAccount(program: Command): void {
  const account = program.command('account').description('accounts').exitOverride();
  account
    .command('create')
    .description('makes an account and prints its id')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--name <name>', 'name', '')
    .addOption(new Option('--plan <plan>', 'plan').choices(PLANS).default('enterprise'))
    .option('--credits <number>', 'credits to begin with (default: unlimited)', wholeNumberFromZero)
    .action((options: { email: string; name: string; plan: Plan; credits?: number }) => createAccountCommand(options));
  account
    .command('list')
    .description('lists accounts with their plans, credits and numbers of reports')
    .action(() => listAccountsCommand());
  account
    .command('plan')
    .description('gives an account another plan')
    .requiredOption('--account <email-or-id>', 'whose plan')
    .addOption(new Option('--set <plan>', 'the new plan').choices(PLANS).makeOptionMandatory())
    .action((options: { account: string; set: Plan }) => changePlanCommand(options));
  account
    .command('credits')
    .description('gives credits to an account and prints its balance')
    .requiredOption('--account <email-or-id>', 'whose credits')
    .option('--set <number>', 'the new balance, or "unlimited"', balance)
    .option('--add <number>', 'credits to add', wholeNumber)
    .action((options: { account: string; set?: number | 'unlimited'; add?: number }) => changeCreditsCommand(options));
}

function addToken(program: Command): void {
  const token = program.command('token').description('API tokens').exitOverride();
  token
    .command('create')
    .description('makes an API token; the last line on standard output is the token, shown this once')
    .requiredOption('--account <email-or-id>', 'whose token')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(['read', 'write']).default('write'))
    .option('--name <name>', 'a name to recognise it by', '')
    .option('--expires <days>', 'days until it expires (default: never)', days)
    .action((options: { account: string; scope: TokenScope; name: string; expires?: number }) =>
      createTokenCommand(options),
    );
  token
    .command('list')
    .description('lists tokens')
    .option('--account <email-or-id>', 'of this account only')
    .action((options: { account?: string }) => listTokensCommand(options));
  token
    .command('revoke')
    .description('ends a token for good')
    .argument('<id>', 'id of the token, from the list', wholeNumber)
    .action((id: number) => revokeTokenCommand(id));
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

/** A hundred years: further ahead, a calendar is no help. */
const DAYS_MAX = 36_500;

function days(text: string): number {
  const value = wholeNumber(text);
  if (value > DAYS_MAX) throw new InvalidArgumentError(`It must be at most ${DAYS_MAX}.`);
  return value;
}

function wholeNumberFromZero(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}

/** A parser's null would come out as no argument at all. */
function balance(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : wholeNumberFromZero(text);
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}
