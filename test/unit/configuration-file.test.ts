import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { parse, stringify } from 'yaml';
import { REPORT_DEFAULTS } from '../../packages/client/report-defaults.ts';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { ATTRIBUTE_OPTIONS, attributesIn } from '../../src/commands/attribute-options.ts';
import { parseConfiguration } from '../../src/commands/configuration-file/parse.ts';
import { sizeMaxBytes } from '../../src/commands/configuration-file/read-yaml.ts';
import {
  CONFIGURATION_SCHEMA_NAME,
  configurationJsonSchema,
  FILE_SCHEMA,
} from '../../src/commands/configuration-file/schema.ts';
import { createProgram } from '../../src/commands/program.ts';
import { SITE_ACCESS_OPTIONS } from '../../src/commands/site-access-options.ts';
import { parseNewReport } from '../../src/reports/definition/new-report.ts';
import { fc } from '../helpers/random.ts';
import { collectingTerminal } from '../helpers/run-here.ts';

const LIMITS = DEFAULT_LIMITS.enterprise;
const read = (text: string) => parseConfiguration(text, 'sitewarden.yaml', LIMITS);

function complaintAbout(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'ConfigurationFault', String(error));
    return error.message.split('\n').map((line) => line.replace('sitewarden.yaml:', ''));
  }
  return assert.fail('it was taken');
}

test('every mistake is reported with its line, its column, and what was probably meant', () => {
  const text = `max_page: 20
a11y: true
cookies: {session: secret}
fail_on: [error, grave]
device_id: iPhne 15
url: https://example.com/
sites:
  - starting_url: example.com
    max_pages: 0
    exclude:
      - /a
  - url: https://example.com/
  - starting_url: https://example.com/
    max_issues: -1
    name: "a b"
    baseline:
  - 5
`;
  assert.deepEqual(complaintAbout(text), [
    '1:1: max_page is not a known setting: did you mean max_pages?',
    '2:1: a11y is not a known setting: did you mean perform_a11y_checks?',
    '3:1: cookies must not be in the file, because others can read it: use --cookie @FILE on the command line.',
    '4:1: fail_on takes error, warning, critical, serious, moderate, minor, new, unchecked, never, not "grave".',
    '5:12: device_id: This device does not exist. Similar names: "iPhone 15". --device help lists all devices.',
    '6:1: url belongs to a site. In the list “sites”, write: "- starting_url: …".',
    '8:19: starting_url has invalid format: it must begin with http:// or https://, as in https://example.com.',
    '9:16: max_pages must be a whole number from 1 to 10000.',
    '10:5: exclude is not a known setting: did you mean exclusions?',
    '12:5: The site has no starting_url.',
    '12:5: url is not a known setting: did you mean starting_url?',
    '14:17: max_issues must be a whole number from 0 to 999999999.',
    '15:11: name must have 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit.',
    '16:5: baseline has no value. Add a value, or delete the line.',
    '17:5: A site must have settings such as "max_pages: 20", one per line.',
  ]);
});

test('mistakes in mutings are reported where they are', () => {
  const text = `mutings:
  - rule: image-alt
  - {rule: a, message: b, reason: c}
  - {reason: c}
  - {selector: "a[", reason: c}
  - {selector: "a:hoover", reason: " "}
  - {rule: a, reason: c, expires: 2027-02-30}
  - {rule: a, reason: c, expire: 2027-02-28}
  - image-alt
sites:
  - {starting_url: http://x/, mutings: {rule: a}}
`;
  assert.deepEqual(complaintAbout(text), [
    '2:5: The muting has no reason: explain why these issues are accepted.',
    '3:5: A muting requires either rule or message, or a selector for all issues in its elements.',
    '4:5: A muting requires either rule or message, or a selector for all issues in its elements.',
    '5:16: selector must be a CSS selector of at most 256 characters, without states such as :hover.',
    '6:16: selector must be a CSS selector of at most 256 characters, without states such as :hover.',
    '6:36: reason must have 1 to 1000 characters: explain why these issues are accepted.',
    '7:35: expires must be a time such as 2026-01-31T23:59:59, or a date.',
    '8:26: expire is not a known setting: did you mean expires?',
    '9:5: A muting must have keys such as "rule: image-alt".',
    '11:31: mutings must be a list of at most 1000: start each muting with a hyphen.',
  ]);
});

test('invalid, ambiguous or hostile YAML is reported quickly', () => {
  const bomb = ['a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]'];
  for (const [index, name] of [...'bcdefghi'].entries()) {
    bomb.push(`${name}: &${name} [${`*${'abcdefgh'[index]}, `.repeat(9)}1]`);
  }
  const wrong: readonly (readonly [text: string, first: string])[] = [
    ['sites:\n\t- x', '2:1: Tabs are not allowed as indentation.'],
    ['max_pages: 1\nrate_limit: 2\nmax_pages: 3\n', '3:1: max_pages is set twice.'],
    ['max_pages: 3\n---\nmax_pages: 4\n', '2:1: The file contains several YAML documents.'],
    ['max_pages: *pages', '1:1: Unresolved alias'],
    ['max_pages: !!js/function x', '1:12: Unresolved tag'],
    ['sites: x', '1:8: sites must be a list'],
    ['- x', '1:1: The file must have settings'],
    ['sites:\n- starting_url: http://x/\n- starting_url: http://x/a', '3:3: Another site is also named x.'],
    [bomb.join('\n'), '1:1: Aliases copy more than 100 values.'],
    [`tags: ${'['.repeat(30)}${']'.repeat(30)}`, '1:25: This is nested too deeply.'],
    ['[{'.repeat(5_000), '1:'],
    [Array.from({ length: 20_000 }, (_, index) => `key${index}: 1`).join('\n'), '1:1: key0 is not a known setting.'],
  ];
  for (const [text, first] of wrong) {
    const [line = ''] = complaintAbout(text);
    assert.ok(line.startsWith(first), `${line} instead of ${first}`);
  }
  assert.equal(complaintAbout(Array.from({ length: 30 }, (_, index) => `key${index}: 1`).join('\n')).length, 21);
  assert.ok(sizeMaxBytes > 100_000);
});

test('a site has its own settings and the settings of all sites; aliases and names of devices work', () => {
  const { sites, common } = read(`
max_pages: &pages 30
fail_on: critical, unchecked
device_id: iphone 15
sites:
  - starting_url: https://example.com:8080/shop
  - starting_url: https://example.com/
    name: small
    max_pages: 5
    rate_limit: *pages
    fail_on: [new]
    max_issues: 3
    baseline: known.json
`);
  const id = sites[0]?.attributes['device_id'];
  assert.match(String(id), /^[\da-f-]{36}$/);
  assert.deepEqual(sites, [
    {
      name: 'example.com-8080',
      attributes: { max_pages: 30, device_id: id, starting_url: 'https://example.com:8080/shop' },
      failOn: ['critical', 'unchecked'],
      maxIssues: undefined,
      baseline: undefined,
      mutings: [],
      budgets: [],
    },
    {
      name: 'small',
      attributes: { max_pages: 5, rate_limit: 30, device_id: id, starting_url: 'https://example.com/' },
      failOn: ['new'],
      maxIssues: 3,
      baseline: 'known.json',
      mutings: [],
      budgets: [],
    },
  ]);
  assert.deepEqual(common.attributes, { max_pages: 30, device_id: id });
  assert.deepEqual(read('').sites, []);
});

test('the schema for editors is the published one, has every option, and accepts what the parser accepts', () => {
  const path = new URL(`../../docs/schemas/${CONFIGURATION_SCHEMA_NAME}`, import.meta.url);
  const schema = configurationJsonSchema();
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), schema, 'run npm run export-schema');
  const validate = new Ajv2020({ strict: false }).compile(schema);
  const texts = [...ATTRIBUTE_OPTIONS.keys()].filter((name) => !Object.hasOwn(SITE_ACCESS_OPTIONS, name));
  for (const name of texts) {
    assert.equal(validate({ [name]: { x: 1 } }), false, `${name} is described`);
    assert.equal(validate.errors?.[0]?.instancePath, `/${name}`);
  }
  assert.ok(
    validate(parse('max_pages: 3\nfail_on: [error]\nsites: [{starting_url: http://x/, tags: [a], baseline: b}]')),
  );
  assert.equal(validate({ max_page: 3 }), false);
});

test('the schema for editors has the defaults of check', () => {
  const properties = Object.entries(FILE_SCHEMA.properties);
  const given = properties.filter(([name]) => Object.hasOwn(REPORT_DEFAULTS, name));
  assert.deepEqual(Object.fromEntries(given.map(([name, schema]) => [name, defaultIn(schema)])), REPORT_DEFAULTS);
});

function defaultIn(schema: object): unknown {
  return 'default' in schema ? schema.default : undefined;
}

/** The options of `check` as Commander parses them. */
function optionsFrom(args: readonly string[]): Command {
  const command = createProgram(collectingTerminal().terminal).commands.find((one) => one.name() === 'check');
  assert.ok(command);
  return command.action(() => undefined).parse(args, { from: 'user' });
}

const LINE = fc.stringMatching(/^\/[a-z0-9/]{1,12}$/);
const SETTINGS = fc.record(
  {
    max_pages: fc.integer({ min: 1, max: 10_000 }),
    rate_limit: fc.integer({ min: 1, max: 100 }),
    deep_crawl: fc.constant(false),
    prefer_canonical_urls: fc.constant(false),
    respect_robots_txt: fc.constant(true),
    dynamic_crawler: fc.constant(true),
    perform_a11y_checks: fc.constant(true),
    perform_links_checks: fc.constant(true),
    device_rotated: fc.constant(true),
    device_id: fc.constantFrom('iPhone 15', 'pixel 7'),
    wait_for: fc.constantFrom('main', '#app > *'),
    inclusions: fc.uniqueArray(LINE, { minLength: 1, maxLength: 4 }),
    exclusions: fc.uniqueArray(LINE, { minLength: 1, maxLength: 4 }),
    initial_urls: fc.uniqueArray(
      LINE.map((path) => `https://example.com${path}`),
      { minLength: 1, maxLength: 3 },
    ),
    tags: fc.constantFrom('shop', 'shop,autumn'),
  },
  { requiredKeys: [] },
);

test('settings of the file make the same report as the same options on the command line', () => {
  fc.assert(
    fc.property(SETTINGS, fc.boolean(), (settings, isCommon) => {
      const url = 'https://example.com/';
      const known = Object.entries(settings).filter(([name]) => ATTRIBUTE_OPTIONS.has(name));
      const args = known.flatMap(([name, value]) => {
        const long = ATTRIBUTE_OPTIONS.get(name)?.long ?? '';
        if (typeof value === 'boolean') return [long];
        return [value].flat().flatMap((one) => [long, String(one)]);
      });
      const given = Object.fromEntries(known);
      const site = { starting_url: url };
      const file = isCommon ? { ...given, sites: [site] } : { sites: [{ ...site, ...given }] };
      const [configured] = read(stringify(file)).sites;
      const [plain, typed] = [optionsFrom([]), optionsFrom(args)];
      const fromFile = attributesIn(plain.opts(), () => false, configured?.attributes);
      const fromOptions = attributesIn(typed.opts(), (name) => typed.getOptionValueSource(name) === 'cli');
      const report = (attributes: object) => parseNewReport({ ...attributes, ...site }, LIMITS);
      assert.deepEqual(report(fromFile), report(fromOptions));
      // The command line takes precedence.
      const other = read(stringify({ max_pages: 77, sites: [site] })).sites[0]?.attributes;
      const both = attributesIn(typed.opts(), (name) => typed.getOptionValueSource(name) === 'cli', other);
      assert.equal(both['max_pages'], settings.max_pages ?? 77);
    }),
    { numRuns: 100 },
  );
});
