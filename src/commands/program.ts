import { Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander';
import { EXPORT_FORMAT_NAMES } from '../domain/export-formats.ts';
import { parseRecipient } from '../platform/age-recipient.ts';
import { commaSeparated } from '../platform/comma-separated.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { VERSION } from '../platform/version.ts';
import type { TokenScope } from '../store/schema.ts';
import { addAccount } from './account-commands.ts';
import { CHECK_OPTIONS } from './attribute-options.ts';
import type { BackupOptions } from './backup.ts';
import { CONFIGURATION_FILE } from './configuration-file/name.ts';
import type { DoctorOptions } from './doctor.ts';
import { ExitStatus, exitStatusOf } from './exit-status.ts';
import { FAIL_ON_HELP } from './fail-on.ts';
import type { ImportOptions } from './import.ts';
import type { InitOptions } from './init.ts';
import { DEVICES_LISTED, wholeNumber, wholeNumberFromZero } from './option-values.ts';
import type { CheckOptions } from './plan-checks.ts';
import type { RestoreOptions } from './restore.ts';
import type { RetentionPreviewOptions } from './retention.ts';
import type { RotateKeyOptions } from './rotate-key.ts';
import type { RunOptions } from './run.ts';
import type { SyncOptions } from './sync.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

/**
 * Creates the command line: commands, options and help. Each command is implemented in a separate file, which is loaded when the
 * command runs: loading them all takes longer than printing help.
 */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('sitewarden')
    .description('Checks whole websites: HTML with the W3C validator, accessibility with axe-core, and links.')
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
    .description('run the API and the workers (default command)')
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
  addRun(program, terminal);
  addSync(program, terminal);
  program
    .command('mcp')
    .description('connect an agent over standard input and output (Model Context Protocol)')
    .option('--url <address>', 'use the service at this address with the API token in SITEWARDEN_TOKEN')
    .action(async (options: { url?: string }) => (await import('./mcp.ts')).mcp(terminal, options));
  addAccount(program, terminal);
  addToken(program, terminal);
  addRetention(program, terminal);
  program
    .command('doctor')
    .description('check the runtime, database, validator, browser, email and disk')
    .option(
      '--deep',
      'also recount every stored number and read everything stored; the installation can keep running',
      false,
    )
    .option('--report <id>', 'with --deep: only this report')
    .addOption(new Option('--format <format>', 'text or json').choices(['text', 'json']).default('text'))
    .action(async (options: DoctorOptions) => (await import('./doctor.ts')).doctor(terminal, options));
  addDatabaseCommands(program, terminal);
  program
    .command('audit')
    .description('print the audit log as lines of JSON, oldest first')
    .option('--account <email-or-id>', 'only entries that concern this account')
    .action(async (options: { account?: string }) => (await import('./audit.ts')).auditCommand(terminal, options));
  program
    .command('pause')
    .description('pause schedules, notifications, crawls and checks in all processes, until you run resume')
    .action(async () => (await import('./pause.ts')).pauseCommand(terminal));
  program
    .command('resume')
    .description('end a pause')
    .action(async () => (await import('./resume.ts')).resumeCommand(terminal));
  program
    .command('rotate-key')
    .description('encrypt all stored secrets with a new key; serve and work must not be running')
    .option('--former-key <file>', 'file with the former key, if SITEWARDEN_SECRET_KEY is the new one')
    .action(async (options: RotateKeyOptions) => (await import('./rotate-key.ts')).rotateKeyCommand(terminal, options));
  program
    .command('replace-key')
    .description('use the current key for credentials; credentials encrypted with a lost key must be entered again')
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
    .description('check a site, or the sites of a configuration file, and print a summary')
    .argument('[url]', `the starting URL, such as https://example.com/ (default: the sites in ${CONFIGURATION_FILE})`)
    .option(
      '--config <file>',
      `configuration file with sites and settings (default without a URL: ${CONFIGURATION_FILE})`,
    )
    .option(
      '--site <name>',
      'only this site of the configuration file; with a URL, check the URL with the settings of this site',
    )
    .option('--journey <name>', 'check only this journey of the configuration file; can be repeated', repeated, []);
  for (const option of CHECK_OPTIONS) command.addOption(option);
  command
    .option(
      '--format <list>',
      `formats of the report: ${EXPORT_FORMAT_NAMES.join(', ')}; a single format is written to standard output, or all to files with --output`,
    )
    .option(
      '--output <file-or-directory>',
      'file for a single format, such as report.sarif; otherwise the directory for the files of all formats',
    )
    .option(
      '--baseline <file-or-report>',
      'compare with a file from --write-baseline, or with a report by id or URL; only new issues fail the check',
    )
    .option(
      '--write-baseline <file>',
      'write all issues found to a file for --baseline; they fail this check only if --fail-on names them',
    )
    .option('--github-annotations <file>', 'write workflow commands that annotate a run of GitHub Actions to a file')
    .option('--fail-on <list>', FAIL_ON_HELP)
    .option('--max-issues <number>', 'maximum number of issues with which the check passes', wholeNumberFromZero, 0)
    .option(
      '--verbose',
      'list every issue type with its first occurrences and a help link, and the whole fix plan',
      false,
    )
    .option('--keep', 'keep the report in the database for the API', false)
    .addHelpText('after', EXIT_STATUS_HELP)
    .action(async (url: string | undefined, options: CheckOptions) => {
      const { check } = await import('./check.ts');
      return check(terminal, url, options, (name) => command.getOptionValueSource(name) === 'cli');
    });
}

function addRun(program: Command, terminal: Terminal): void {
  program
    .command('run')
    .description('start a report of each site with a tag, or of the given sites, with their settings')
    .option('--tag <list>', 'sites with any of these tags, separated by commas', separated, [])
    .option('--text <text>', 'sites with this text in the name or the starting URL')
    .option('--site <name-or-url>', 'a site by its name, starting URL or id; can be repeated', repeated, [])
    .option('--wait', 'wait until the reports have ended, and print what they found', false)
    .option('--service <address>', 'use the service at this address with the API token in SITEWARDEN_TOKEN')
    .action(async (options: RunOptions) => (await import('./run.ts')).run(terminal, options));
}

function addSync(program: Command, terminal: Terminal): void {
  program
    .command('sync')
    .description('create and change sites, schedules, mutings and channels to match a file')
    .argument('<file>', 'a .csv file with a site per row, or a .yaml file with sites, mutings and channels')
    .option('--service <address>', 'use the service at this address with the API token in SITEWARDEN_TOKEN')
    .option('--dry-run', 'print what would be created and changed, without changing anything', false)
    .option('--send-secrets', 'send the secrets of existing sites again, because they cannot be compared', false)
    .addOption(
      new Option('--prune [how]', 'archive or delete the sites that this file created and no longer has')
        .choices(['archive', 'delete'])
        .preset('archive'),
    )
    .option('--source <name>', 'a name that identifies the file if its path changes (default: its path)')
    .action(async (file: string, options: SyncOptions) => (await import('./sync.ts')).sync(terminal, file, options));
}

function separated(text: string, before: readonly string[]): readonly string[] {
  return [...before, ...commaSeparated(text)];
}

function repeated(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function addInit(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description(`create ${CONFIGURATION_FILE} for a site; asks for missing options`)
    .argument('[url]', 'the starting URL of the site')
    .option('--max-pages <number>', 'maximum number of pages', wholeNumber)
    .option('--a11y', 'check accessibility')
    .option('--no-a11y', 'skip the accessibility check')
    .option('--fail-on <list>', 'what fails a check, as in sitewarden check')
    .option('--output <file>', `file to write instead of ${CONFIGURATION_FILE}`)
    .option('--force', 'replace the file if it exists', false)
    .action(async (url: string | undefined, options: InitOptions) =>
      (await import('./init.ts')).init(terminal, url, options),
    );
}

/** The default number of sites for `--reports`. */
const SITES_OF_REPORTS = '100';

function addImport(program: Command, terminal: Terminal): void {
  program
    .command('import')
    .description(
      `create ${CONFIGURATION_FILE} from configurations of pa11y-ci and Lighthouse CI, Chrome recordings and vnu filter lists`,
    )
    .argument('[files...]', 'the files to import')
    .addOption(
      new Option('--from <tool>', 'the tool that the files belong to (default: detected from their content)').choices([
        'pa11y',
        'lighthouse',
        'recorder',
        'vnu',
      ]),
    )
    .option(
      '--service <address>',
      'import schedules and mutings from a service with this API instead of files, with the token in SITEWARDEN_TOKEN',
    )
    .addOption(
      new Option('--reports [number]', 'with --service: check the sites of its newest reports here, up to this number')
        .argParser(wholeNumber)
        .preset(SITES_OF_REPORTS),
    )
    .addOption(
      new Option(
        '--steps-as <what>',
        'what recorded steps and actions become; by default a login if they enter a password, otherwise journeys',
      ).choices(['login', 'journeys']),
    )
    .option('--url <url>', 'the site, if the files do not contain one')
    .option('--output <file>', `file to write instead of ${CONFIGURATION_FILE}`)
    .option('--dry-run', 'print the file and what is not imported, without writing anything', false)
    .option('--force', 'replace the file if it exists', false)
    .action(async (files: string[], options: ImportOptions & { service?: string; reports?: number }) => {
      const { service, reports = null, dryRun } = options;
      if ((service === undefined) === (files.length === 0))
        throw new AppError('invalid_usage', 'import requires either files or --service with the address of a service.');
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
  1    more issues or unchecked pages than allowed, or a budget exceeded
  2    invalid usage or configuration
  3    the site could not be checked
  70   an internal error: please report it
  130  stopped by Ctrl-C; the results so far are printed and kept`;

function addDatabaseCommands(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description(
      'migrate the database to the schema of this version; services of the previous release may keep running',
    )
    .option('--dry-run', 'print the missing migrations and the tables that they lock, and change nothing', false)
    .action(async (options: { dryRun: boolean }) => (await import('./migrate.ts')).migrateCommand(terminal, options));
  program
    .command('backup')
    .description('back up the database to a file, even while the service is running')
    .argument('<file>', 'the backup file, which replaces an existing one; - for standard output')
    .option('--verify', 'verify instead that this file is complete and unchanged; needs no database', false)
    .option(
      '--recipient <key>',
      'encrypt the backup with this age public key (default: SITEWARDEN_BACKUP_RECIPIENT)',
      recipient,
    )
    .option('--identity <file>', 'with --verify: the file with the age identity of an encrypted backup')
    .action(async (file: string, { verify, ...options }: { verify: boolean; identity?: string } & BackupOptions) => {
      const { backupCommand, verifyBackupCommand } = await import('./backup.ts');
      return verify ? verifyBackupCommand(terminal, file, options) : backupCommand(terminal, file, options);
    });
  program
    .command('restore')
    .description('restore a backup into a new data directory or database')
    .argument('<file>', 'the backup file; - for standard input')
    .option('--paused', 'pause schedules, notifications, crawls and checks until you run sitewarden resume', false)
    .option('--identity <file>', 'the file with the age identity of an encrypted backup')
    .action(async (file: string, options: RestoreOptions) =>
      (await import('./restore.ts')).restoreCommand(terminal, file, options),
    );
}

function recipient(text: string): string {
  try {
    return parseRecipient(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${messageOf(error)}.`);
  }
}

function addRetention(program: Command, terminal: Terminal): void {
  program
    .command('retention')
    .description('show which reports the rules of an account keep')
    .exitOverride()
    .command('preview')
    .description('print what the rules of an account, or the given rules, would delete now')
    .requiredOption('--account <email-or-id>', 'the account')
    .option(
      '--keep-last <number>',
      'instead of applying the rules of the account: keep this many of the newest reports of each site',
      wholeNumber,
    )
    .option('--keep-days <number>', 'keep reports for this many days', wholeNumber)
    .option('--keep-weekly <number>', 'keep one per week, for this many weeks', wholeNumber)
    .option('--keep-monthly <number>', 'keep one per month, for this many months', wholeNumber)
    .option('--keep-yearly <number>', 'keep one per year, for this many years', wholeNumber)
    .option('--tag <tag>', 'only reports with this tag')
    .option('--schedule <id>', 'only reports of this schedule')
    .option('--json', 'print JSON', false)
    .action(async (options: RetentionPreviewOptions) =>
      (await import('./retention.ts')).previewRetentionCommand(terminal, options),
    );
}

function addToken(program: Command, terminal: Terminal): void {
  const token = program.command('token').description('manage API tokens').exitOverride();
  token
    .command('create')
    .description('create an API token; the last line of the output is the token, which is only shown once')
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

/** Runs a command to its end, prints why it failed, and sets its exit status on `terminal`. Never rejects. */
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
    stderr.write(`Unexpected error. Please report it: ${error instanceof Error ? error.stack : error}\n`);
    return ExitStatus.internal;
  }
  writeText(stderr, error.message);
  return exitStatusOf(error.code);
}
