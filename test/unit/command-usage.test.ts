import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { optionName, usageError } from '../../src/commands/attribute-options.ts';
import { createProgram } from '../../src/commands/program.ts';
import { type Failure, sentenceOf } from '../../src/domain/failures/failure.ts';
import { AppError } from '../../src/platform/errors.ts';
import { NEW_REPORT_ATTRIBUTES, parseNewReport } from '../../src/reports/definition/new-report.ts';
import { collectingTerminal } from '../helpers/run-here.ts';

/** The program's output and exit status, without a process for each run. */
async function complaintOf(args: readonly string[]): Promise<string> {
  const { terminal, printed } = collectingTerminal();
  const error = await createProgram(terminal)
    .parseAsync(args, { from: 'user' })
    .then(
      () => assert.fail(`${args.join(' ')} was taken`),
      (reason: unknown) => reason,
    );
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  assert.ok(error instanceof CommanderError, String(error));
  return printed.stderr;
}

test('help says what the option does that turns off a check', async () => {
  const { terminal, printed } = collectingTerminal();
  await assert.rejects(createProgram(terminal).parseAsync(['check', '--help'], { from: 'user' }), CommanderError);
  assert.match(printed.stdout, / --no-html {2,}skip the HTML check\n/);
  assert.match(printed.stdout, / --no-a11y {2,}skip the accessibility check\n/);
});

test('wrong usage is rejected with the reason', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['check'],
      /^invalid_usage: check requires a URL, or a file sitewarden.yaml in this folder \(create it with init\)\. Try: check https/,
    ],
    [['init'], /^invalid_usage: Without an interactive terminal, init requires a URL: .*init https/],
    [['init', 'example.com'], /^invalid_usage: starting_url has invalid format: it must begin with http/],
    [['init', 'http://x/', '--fail-on', 'grave'], /^invalid_usage: fail_on takes error, .*, not "grave"/],
    [['init', 'http://x/', '--output', 'package.json'], /^invalid_usage: package.json already exists\. Add --force/],
    [['check', '--config', 'missing.yaml'], /^invalid_usage: --config missing.yaml does not exist\./],
    [['check', '--config', 'src'], /^invalid_usage: --config src cannot be read: EISDIR/],
    [
      ['check', 'http://x/', '--site', 'shop'],
      /^invalid_usage: --site selects a site of the configuration file: add --config FILE, or omit/,
    ],
    [['check', '--config', 'package.json'], /^invalid_configuration: package.json:2:3: name belongs to a site\. /],
    [
      ['check', 'http://x/', '--max-pages', '0'],
      /'--max-pages <number>' argument '0' is invalid. It must be a whole number of at least 1/,
    ],
    [['check', 'http://x/', '--max-pages', 'ten'], /argument 'ten' is invalid. It must be a whole number/],
    [
      ['check', 'http://x/', '--standard', 'wcag22'],
      /'--standard <name>' argument 'wcag22' is invalid\. It must be wcag20-a, .*, trusted-tester-5, or none\.$/m,
    ],
    [['check', 'http://x/', '--max-issues', '-1'], /'--max-issues <number>' argument '-1' is invalid/],
    [['check', 'http://x/', '--colour'], /unknown option '--colour'/],
    [
      ['check', 'http://x/', '--fail-on', 'error,grave'],
      /^invalid_usage: --fail-on takes error, warning, critical, serious, moderate, minor, new, unchecked, never, not "grave"/,
    ],
    [
      ['check', 'http://x/', '--format', 'docx', '--output', '.'],
      /^invalid_usage: --format takes json, sarif, junit, csv, md, html, pdf, xlsx, earl, openacr, statement, not "docx"/,
    ],
    [['check', 'http://x/', '--output', '.'], /^invalid_usage: --output requires --format: json, /],
    [['check', 'http://x/', '--fail-on', ' , '], /^invalid_usage: --fail-on requires at least one of error, warning, /],
    [
      ['check', 'http://x/', '--fail-on', 'error,new'],
      /^invalid_usage: --fail-on new requires a baseline: add --baseline/,
    ],
    [
      ['check', 'http://x/', '--baseline', 'missing.json'],
      /^invalid_usage: --baseline missing.json does not exist: write it with --write-baseline missing.json/,
    ],
    [
      ['check', 'http://x/', '--baseline', 'package.json'],
      /^invalid_usage: --baseline package.json is not a baseline: write/,
    ],
    [
      ['check', 'http://x/', '--baseline', 'README.md'],
      /^invalid_usage: --baseline README.md is not valid JSON: write/,
    ],
    [['check', 'http://x/', '--baseline', 'src'], /^invalid_usage: --baseline src cannot be read: EISDIR/],
    [
      ['check', 'http://x/', '--baseline', 'https://x/reports'],
      /^invalid_usage: --baseline .* is not the URL of a report: /,
    ],
    [
      ['check', 'http://x/', '--write-baseline', 'README.md/b.json'],
      /^invalid_usage: --write-baseline .* cannot be written: /,
    ],
    [
      ['check', 'http://x/', '--no-a11y', '--fail-on', 'error,critical'],
      /^invalid_usage: --fail-on critical counts accessibility violations: add --a11y/,
    ],
    [
      ['check', 'http://x/', '--no-a11y', '--device', 'iPhone 15'],
      /^invalid_usage: --device requires accessibility checks: add --a11y/,
    ],
    [['check', 'http://x/', '--fail-on', 'never,error'], /^invalid_usage: --fail-on never cannot be combined/],
    [
      ['check', 'http://x/', '--no-a11y', '--wait-for', 'main'],
      /^invalid_usage: --wait-for requires pages to be shown in a browser: add/,
    ],
    [
      ['check', 'http://x/', '--no-html', '--no-a11y'],
      /^invalid_usage: --no-html and --no-a11y leave nothing to check: add --links/,
    ],
    [['chekc', 'http://x/'], /unknown command 'chekc'\n\(Did you mean check\?\)/],
    [['check', 'http://x/', '--max-page', '1'], /unknown option '--max-page'\n\(Did you mean --max-pages\?\)/],
  ];
  for (const [args, words] of wrong) assert.match(await complaintOf(args), words);
});

/** The error of check for a report with these attributes. */
function complaintAbout(attributes: Readonly<Record<string, unknown>>): string {
  const parsed = parseNewReport({ starting_url: 'http://x/', ...attributes }, DEFAULT_LIMITS.pro);
  assert.ok('faults' in parsed, 'it was accepted');
  const { code, message } = usageError(parsed.faults);
  assert.equal(code, 'invalid_usage');
  return message;
}

test('a problem with an attribute names the option', () => {
  const options =
    createProgram(collectingTerminal().terminal).commands.find((command) => command.name() === 'check')?.options ?? [];
  const names = ['The URL', ...options.map(({ long }) => long)];
  for (const attribute of Object.keys(NEW_REPORT_ATTRIBUTES.properties)) {
    // The command line has no options for these.
    if (/^(shared|store_raw_.*|journeys|only_journeys)$/.test(attribute)) continue;
    const said = complaintAbout({ [attribute]: 5.5 });
    assert.ok(
      names.some((name) => said.startsWith(`${name} must be `)),
      said,
    );
  }
  assert.equal(
    complaintAbout({ max_pages: 0, starting_url: 'http://u:p@x/', headers: { Host: 'x' } }),
    '--max-pages must be a whole number from 1 to 10000.\n' +
      'The URL must not contain credentials: set them in --basic-auth.\n' +
      '--header Host cannot be set.',
  );
});

test('a URL without a scheme gets a suggestion', () => {
  assert.equal(
    complaintAbout({ starting_url: '127.0.0.1:8080' }),
    'The URL has invalid format: it must begin with http:// or https://, as in http://127.0.0.1:8080.',
  );
});

test('failures use the names of options, in place of names of attributes only', () => {
  const said: readonly (readonly [Failure, string])[] = [
    [
      { code: 'too_busy', params: { why: { code: 'error_status', params: { status: 429 } } } },
      'The page returned 429: the site was too busy for this crawl; a lower --rate-limit may help',
    ],
    [
      { code: 'sign_in_wanted', params: { status: 401 } },
      'set --login, --header or --cookie, which are sent to the origin of the starting URL',
    ],
    [
      { code: 'start_asks_password', params: { names: ['basic_auth', 'headers', 'cookies'] } },
      'sends credentials (--basic-auth, --header, --cookie). They',
    ],
    [
      { code: 'redirects_now', params: { url: 'http://x.example/max_pages?headers' } },
      'to http://x.example/max_pages?headers',
    ],
  ];
  for (const [failure, expected] of said) assert.ok(sentenceOf(failure, optionName).includes(expected));
});
