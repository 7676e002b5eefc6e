import { Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander';
import { PLANS } from '../accounts/plans.ts';
import { EXPORT_FORMAT_NAMES } from '../domain/export-formats.ts';
import { AppError } from '../platform/errors.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { VERSION } from '../platform/version.ts';
import type { Plan, TokenScope } from '../store/schema.ts';
import { ATTRIBUTE_OPTIONS, NEGATED_OPTIONS } from './attribute-options.ts';
import { CONFIGURATION_FILE } from './configuration-file/name.ts';
import { ExitStatus, exitStatusOf } from './exit-status.ts';
import { FAIL_ON_HELP } from './fail-on.ts';
import type { ImportOptions } from './import.ts';
import type { InitOptions } from './init.ts';
import { DEVICES_LISTED, wholeNumber, wholeNumberFromZero } from './option-values.ts';
import type { CheckOptions } from './plan-checks.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

/**
 * Creates the command line: commands, options and help. Each command is implemented in a file of its own, which is loaded when the
 * command runs: loading them all takes longer than printing help.
 */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('sitewarden')
    .description('Checks whole websites: HTML with the W3C validator, accessibility with axe-core.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showHelpAfterError('Run the command with --help for usage.')
    .configureHelp({ optionDescription: describeOption });
  program
    .command('serve', { isDefault: true })
    .description('run the API and the workers (the default command)')
    // Commander calls the default command for unknown commands.
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) {
        const nearest = nearestName(
          unknown,
          program.commands.map((known) => known.name()),
        );
        program.error(`error: unknown command '${unknown}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`);
      }
      const { serve } = await import('./serve.ts');
      return serve(terminal);
    });
  program
    .command('work')
    .description('run workers only, on additional machines (requires DATABASE_URL)')
    .action(async () => (await import('./work.ts')).work(terminal));
  addCheck(program, terminal);
  addInit(program, terminal);
  addImport(program, terminal);
  program
    .command('mcp')
    .description('serve an agent over standard input and output (Model Context Protocol)')
    .option('--url <address>', 'use the service at this address, with the API token in SITEWARDEN_TOKEN')
    .action(async (options: { url?: string }) => (await import('./mcp.ts')).mcp(terminal, options));
  addAccount(program, terminal);
  addToken(program, terminal);
  program
    .command('doctor')
    .description('check the runtime, database, validator, browser and disk')
    .action(async () => (await import('./doctor.ts')).doctor(terminal));
  program
    .command('migrate')
    .description('migrate the database to the newest schema')
    .action(async () => (await import('./migrate.ts')).migrateCommand(terminal));
  program
    .command('backup')
    .description('write the database to a file, also while the service runs')
    .argument('<file>', 'the file, which is replaced if it exists')
    .action(async (file: string) => (await import('./backup.ts')).backupCommand(terminal, file));
  program
    .command('restore')
    .description('fill a new data directory or database from a file of backup')
    .argument('<file>', 'the file')
    .action(async (file: string) => (await import('./restore.ts')).restoreCommand(terminal, file));
  program
    .command('replace-key')
    .description('use the current key for credentials; those encrypted with a lost key must be entered again')
    .action(async () => (await import('./replace-key.ts')).replaceKeyCommand(terminal));
  return program;
}

/** Omits defaults that are off or empty. */
function describeOption(option: Option): string {
  const preset = [option.defaultValue].flat().join();
  return preset === '' || preset === 'false' ? option.description : new Help().optionDescription(option);
}

function addCheck(program: Command, terminal: Terminal): void {
  const command = program
    .command('check')
    .description('check a site, or those of a configuration file, and print a summary')
    .argument('[url]', `the starting URL, such as https://example.com/ (default: the sites in ${CONFIGURATION_FILE})`)
    .option(
      '--config <file>',
      `configuration file with sites and settings (default without a URL: ${CONFIGURATION_FILE})`,
    )
    .option('--site <name>', 'only this site of the configuration file; with a URL, its settings at that address');
  for (const option of [...ATTRIBUTE_OPTIONS.values(), ...NEGATED_OPTIONS]) command.addOption(option);
  command
    .option(
      '--format <list>',
      `formats of the report: ${EXPORT_FORMAT_NAMES.join(', ')}; a single one goes to standard output, or all to files with --output`,
    )
    .option(
      '--output <file-or-directory>',
      'file for a single format, such as report.sarif; otherwise the directory for the files of all formats',
    )
    .option(
      '--baseline <file-or-report>',
      'compare with a file of --write-baseline, or with the id or URL of a report; only what is new fails the check',
    )
    .option(
      '--write-baseline <file>',
      'write what was found to a file, for --baseline; the file accepts it, so that only what --fail-on names fails this check',
    )
    .option('--github-annotations <file>', 'write workflow commands that annotate a run of GitHub Actions to a file')
    .option('--fail-on <list>', FAIL_ON_HELP)
    .option('--max-issues <number>', 'number of issues that still pass', wholeNumberFromZero, 0)
    .option('--verbose', 'list every kind of issue, with its first places and a help link', false)
    .option('--keep', 'keep the report in the database, for the API', false)
    .addHelpText('after', EXIT_STATUS_HELP)
    .action(async (url: string | undefined, options: CheckOptions) => {
      const { check } = await import('./check.ts');
      return check(terminal, url, options, (name) => command.getOptionValueSource(name) === 'cli');
    });
}

function addInit(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description(`write ${CONFIGURATION_FILE} for a site, asking for missing options`)
    .argument('[url]', 'the starting URL of the site')
    .option('--max-pages <number>', 'maximum number of pages', wholeNumber)
    .option('--a11y', 'check accessibility')
    .option('--no-a11y', 'do not check accessibility')
    .option('--fail-on <list>', 'what fails a check, as for sitewarden check')
    .option('--output <file>', `file to write instead of ${CONFIGURATION_FILE}`)
    .option('--force', 'replace the file if it exists', false)
    .action(async (url: string | undefined, options: InitOptions) =>
      (await import('./init.ts')).init(terminal, url, options),
    );
}

/** How many sites `--reports` takes unless told otherwise. */
const SITES_OF_REPORTS = '100';

function addImport(program: Command, terminal: Terminal): void {
  program
    .command('import')
    .description(
      `write ${CONFIGURATION_FILE} from configurations of pa11y-ci and Lighthouse CI, and lists of filters of vnu`,
    )
    .argument('[files...]', 'the files')
    .addOption(
      new Option('--from <tool>', 'whose files they are (default: told by what is in them)').choices([
        'pa11y',
        'lighthouse',
        'vnu',
      ]),
    )
    .option(
      '--service <address>',
      'instead of files, schedules and mutings of a service with this API, with the token in SITEWARDEN_TOKEN',
    )
    .addOption(
      new Option(
        '--reports [number]',
        'with --service: check the sites of its reports here, the newest first, at most this many',
      )
        .argParser(wholeNumber)
        .preset(SITES_OF_REPORTS),
    )
    .option('--url <url>', 'the site, if the files name none')
    .option('--output <file>', `file to write instead of ${CONFIGURATION_FILE}`)
    .option('--dry-run', 'print the file, and what is not imported, and write nothing', false)
    .option('--force', 'replace the file if it exists', false)
    .action(async (files: string[], options: ImportOptions & { service?: string; reports?: number }) => {
      const { service, reports = null, dryRun } = options;
      if ((service === undefined) === (files.length === 0))
        throw new AppError(
          'invalid_usage',
          'import requires either files, or --service with the address of a service.',
        );
      if (service === undefined && reports !== null)
        throw new AppError('invalid_usage', '--reports requires --service with the address of a service.');
      if (service !== undefined)
        return (await import('./import-service.ts')).importService(terminal, service, { reports, dryRun });
      return (await import('./import.ts')).importCommand(terminal, files, options);
    });
}

const EXIT_STATUS_HELP = `
Exit status:
  0    passed
  1    more issues than --max-issues allows, or an internal error
  2    wrong usage or configuration
  3    the site could not be checked
  130  stopped by Ctrl-C; the results so far are printed and kept`;

function addAccount(program: Command, terminal: Terminal): void {
  const account = program.command('account').description('manage accounts').exitOverride();
  account
    .command('create')
    .description('create an account and print its id')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--name <name>', 'name', '')
    .addOption(new Option('--plan <plan>', 'plan').choices(PLANS).default('enterprise'))
    .option('--credits <number>', 'initial credits (default: unlimited)', wholeNumberFromZero)
    .action(async (options: { email: string; name: string; plan: Plan; credits?: number }) =>
      (await import('./account.ts')).createAccountCommand(terminal, options),
    );
  account
    .command('list')
    .description('list accounts with their plans, credits and number of reports')
    .action(async () => (await import('./account.ts')).listAccountsCommand(terminal));
  account
    .command('link')
    .description('print a link that sets a new password and signs in; it works once, for an hour')
    .requiredOption('--email <address-or-id>', 'the account')
    .option('--revoke-tokens', 'revoke its API tokens, which otherwise stay valid')
    .action(async (options: { email: string; revokeTokens?: boolean }) =>
      (await import('./account.ts')).linkAccountCommand(terminal, options),
    );
  account
    .command('profile')
    .description('change the name and the e-mail address of an account and print them')
    .requiredOption('--account <email-or-id>', 'the account')
    .option('--name <name>', 'the new name')
    .option('--email <address>', 'the new e-mail address')
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
}

function addToken(program: Command, terminal: Terminal): void {
  const token = program.command('token').description('manage API tokens').exitOverride();
  token
    .command('create')
    .description('create an API token; the last line of the output is the token, which is shown only once')
    .requiredOption('--account <email-or-id>', 'the account')
    .addOption(new Option('--scope <scope>', 'read or write').choices(['read', 'write']).default('write'))
    .option('--name <name>', 'name of the token', '')
    .option('--expires <days>', 'days until it expires (default: never)', days)
    .action(async (options: { account: string; scope: TokenScope; name: string; expires?: number }) =>
      (await import('./token.ts')).createTokenCommand(terminal, options),
    );
  token
    .command('list')
    .description('list tokens')
    .option('--account <email-or-id>', 'only tokens of this account')
    .action(async (options: { account?: string }) => (await import('./token.ts')).listTokensCommand(terminal, options));
  token
    .command('revoke')
    .description('revoke a token')
    .argument('<id>', 'id of the token, from token list', wholeNumber)
    .action(async (id: number) => (await import('./token.ts')).revokeTokenCommand(terminal, id));
}

/** A hundred years. */
const DAYS_MAX = 36_500;

function days(text: string): number {
  const value = wholeNumber(text);
  if (value > DAYS_MAX) throw new InvalidArgumentError(`It must be at most ${DAYS_MAX}.`);
  return value;
}

/** Commander ignores a parser's null, so unlimited stays a word. */
function balance(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : wholeNumberFromZero(text);
}

/** Runs a command to its end, prints why it failed, and leaves its exit status in the terminal. Never rejects. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
  } catch (error) {
    terminal.exitStatus = statusOf(error, terminal);
  }
}

function statusOf(error: unknown, { stdout, stderr }: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.code === DEVICES_LISTED) stdout.write(error.message);
    // Commander has already reported the error; its help and version exit with 0.
    return error.exitCode === 0 ? ExitStatus.passed : ExitStatus.wrongUsage;
  }
  if (!(error instanceof AppError)) {
    stderr.write(`Unexpected error, please report it: ${error instanceof Error ? error.stack : error}\n`);
    return ExitStatus.fault;
  }
  writeText(stderr, error.message);
  return exitStatusOf(error.code);
}
