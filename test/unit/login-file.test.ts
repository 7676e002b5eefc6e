import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withPaths } from '../../packages/client/recorded-steps.ts';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { parseConfiguration } from '../../src/commands/configuration-file/parse.ts';
import { importPa11y } from '../../src/commands/imports/pa11y.ts';
import { importRecording } from '../../src/commands/imports/recorder.ts';
import { readLoginFile } from '../../src/commands/login-file.ts';
import { readSyncFile } from '../../src/commands/sync/read-sync-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
after(() => rmSync(directory, { recursive: true }));
const read = (text: string) => {
  const path = join(directory, 'login.yaml');
  writeFileSync(path, text);
  return readLoginFile(path, (name) => (name === 'SHOP_PASSWORD' ? 'open-sesame' : undefined));
};

test('a login file names environment variables in place of secrets', async () => {
  const login = await read(
    'steps:\n  - open: https://example.com/\n  - fill: "#p"\n    secret_env: SHOP_PASSWORD\nsigned_in:\n  text: Hello\n',
  );
  assert.deepEqual(login, {
    steps: [{ open: 'https://example.com/' }, { fill: '#p', secret: 'open-sesame' }],
    signed_in: { text: 'Hello' },
  });
  await assert.rejects(
    read('steps: [{fill: "#p", totp_env: SHOP_KEY}]'),
    /step 1: the environment variable SHOP_KEY is not set/,
  );
  await assert.rejects(read('steps: ['), /login\.yaml is not valid: line 1: /);
  await assert.rejects(read('[]'), /has no steps/);
});

const FILE = (step: string): string => `sites:
  - starting_url: https://example.com/
    login:
      steps:
        - open: https://example.com/login
        - ${step}
`;

test('a configuration file names the secrets of a login, and contains none', () => {
  const parse = (step: string) => parseConfiguration(FILE(step), 'x.yaml', DEFAULT_LIMITS.pro);
  const [site] = parse('{fill: "#p", secret_env: SHOP_PASSWORD}').sites;
  assert.deepEqual(site?.attributes['login'], {
    steps: [{ open: 'https://example.com/login' }, { fill: '#p', secret_env: 'SHOP_PASSWORD' }],
  });
  assert.throws(
    () => parse('{fill: "#p", secret: open-sesame}'),
    /^ConfigurationFault: x\.yaml:3:5: login must not contain secrets/,
  );
  assert.throws(
    () => parse('{click: "a["}'),
    /^ConfigurationFault: x\.yaml:6:19: login steps 1 click is not a CSS selector/,
  );
});

test('sync sends the secrets of a login, and compares the rest', () => {
  const account = {
    plan: 'enterprise',
    limits: DEFAULT_LIMITS.enterprise,
    standard: null,
    best_practices: false,
  } as const;
  const variable = (name: string) => (name === 'SHOP_PASSWORD' ? 'open-sesame' : undefined);
  const read = readSyncFile(FILE('{fill: "#p", secret_env: SHOP_PASSWORD}'), 'yaml', account, variable);
  assert.ok('wanted' in read, JSON.stringify(read));
  const [site] = read.wanted.sites;
  assert.ok(JSON.stringify(site?.given).includes('open-sesame'));
  assert.deepEqual(site?.shown['login'], {
    steps: [{ open: 'https://example.com/login' }, { fill: '#p', secret: true }],
    signed_in: null,
  });
  const unset = readSyncFile(FILE('{fill: "#p", secret_env: OTHER}'), 'yaml', account, variable);
  assert.match(JSON.stringify(unset), /environment variable OTHER is not set/);
});

test('a recording of Chrome becomes a login without what was entered', () => {
  const { urls, settings, remarks, notes } = importRecording(
    {
      title: 'Log in',
      steps: [
        { type: 'setViewport', width: 800 },
        { type: 'navigate', url: 'https://example.com/login' },
        { type: 'change', value: 'checker', selectors: [['aria/Name'], ['#name'], ['xpath///*[@id="name"]']] },
        { type: 'keyDown', key: 'Tab' },
        { type: 'keyUp', key: 'Tab' },
        { type: 'keyDown', key: 'o' },
        { type: 'change', value: 'open-sesame', selectors: [['aria/Password'], ['pierce/#field2']] },
        { type: 'click', selectors: [['text/Log in']] },
        { type: 'click', selectors: [['aria/Log in'], ['form > button']] },
        { type: 'waitForElement', selectors: ['#menu'] },
        { type: 'hover', selectors: [['#menu']] },
        { type: 'doubleClick', selectors: [['#menu a']] },
      ],
    },
    'login.json',
  );
  assert.deepEqual(urls, ['https://example.com/']);
  assert.deepEqual(settings['login'], {
    steps: [
      { open: 'https://example.com/login' },
      { fill: '#name', value: 'checker' },
      { press: 'Tab' },
      { fill: '#field2', secret_env: 'LOGIN_PASSWORD' },
      { click: 'form > button' },
      { wait_for: { selector: '#menu' } },
      { click: '#menu a' },
    ],
  });
  assert.deepEqual(remarks.slice(0, 3), [
    'Step 8 "click" is not imported: it has no equivalent, or no CSS selector.',
    'Step 11 "hover" is not imported: it has no equivalent, or no CSS selector.',
    'Step 12 "doubleClick" is not imported: a single click replaces it.',
  ]);
  assert.match(notes.join(), /^The steps of login\.json are imported as login/);
  assert.match(remarks.slice(3).join('\n'), /^Values that may be secret .* LOGIN_PASSWORD\./);
});

interface StepsPart {
  readonly steps: readonly object[];
}

test('recorded steps and actions that enter no password become journeys', () => {
  const steps = [
    { type: 'navigate', url: 'https://example.com/' },
    { type: 'click', selectors: [['#menu']] },
    { type: 'change', value: 'red shoes', selectors: [['aria/Search'], ['form > input']] },
    { type: 'change', value: '12345', selectors: [['#research-code']] },
  ];
  const recorded = importRecording({ title: 'Open the menu', steps }, 'menu.json');
  const journey = {
    name: 'Open the menu',
    steps: [
      { open: 'https://example.com/' },
      { click: '#menu' },
      { fill: 'form > input', value: 'red shoes' },
      { fill: '#research-code', secret_env: 'LOGIN_FIELD_4' },
    ],
  };
  const marked = { ...journey, steps: [...journey.steps, { check: 'Last page' }] };
  assert.deepEqual([recorded.settings, recorded.journeys], [{}, [marked]]);
  assert.match(recorded.notes.join(), /^The steps are imported as the journey “Open the menu”/);
  assert.ok('login' in importRecording({ steps }, 'menu.json', 'login').settings);

  const page = (path: string, ...actions: string[]) => ({ url: `https://example.com${path}`, actions });
  const signIn = page('/login', 'set field #password to open-sesame', 'click element button');
  const { settings, journeys } = importPa11y(
    { urls: [page('/', 'click element #menu'), signIn, page('/cart?a=1', 'wait for element #sum to be visible')] },
    '.pa11yci',
  );
  assert.equal((settings['login'] as StepsPart).steps.length, 3);
  assert.deepEqual(
    journeys.map(({ name, steps: read }) => [name, read.length]),
    [
      ['/', 3],
      ['/cart?a=1', 3],
    ],
  );
});

test('passwords are not imported, in any language, and not shown in messages', () => {
  const entered = [
    ['Contraseña', '#field-2'],
    ['Hasło', 'form > div:nth-child(2) > input'],
    ['Name', '#name'],
    ['Your answer to Q', '#security-q'],
  ];
  const steps = entered.map(([label, selector]) => ({
    ...{ type: 'change', value: 'hunter2 & more', selectors: [[`aria/${label}`], [selector]] },
  }));
  const ofLoginForm = ['#login-form > input:nth-of-type(2)', 'form.account input[name="wachtwoord"]'];
  steps.push(...ofLoginForm.map((selector) => ({ type: 'change', value: 'hunter2', selectors: [[selector]] })));
  const recorded = importRecording({ steps: [{ type: 'navigate', url: 'https://example.com/' }, ...steps] }, 'a.json');
  const page = (url: string, selector: string) => ({
    url,
    actions: [`set field ${selector} to hunter2`, 'set  field #more to hunter2'],
  });
  const urls = [page('https://example.com/', '#footpath'), page('https://example.com/b', '#password')];
  const ofPa11y = importPa11y({ defaults: {}, urls }, '.pa11yci');
  assert.doesNotMatch(JSON.stringify([recorded, ofPa11y]), /hunter2/);
  assert.match(recorded.remarks.join(), /LOGIN_PASSWORD, LOGIN_FIELD_4, LOGIN_FIELD_5 and LOGIN_FIELD_6/);
  // A value that may be secret does not make steps a login: the second list does, which has a password.
  assert.deepEqual((ofPa11y.settings['login'] as StepsPart).steps[1], {
    fill: '#password',
    secret_env: 'LOGIN_PASSWORD',
  });
  assert.deepEqual(ofPa11y.journeys[0]?.steps[1], { fill: '#footpath', secret_env: 'LOGIN_FIELD_1' });
});

test('imported journeys name the pages of their site by path', () => {
  const steps = [
    { open: 'https://example.com/cart?a=1' },
    { open: 'https://example.com//example.org/' },
    { wait_for: { url: 'https://example.com/paid' } },
    { wait_for: { url: 'example.com' } },
    { wait_for: { url: 'id.example.org' } },
    { wait_for: { selector: '#menu' } },
  ];
  assert.deepEqual(withPaths(steps, 'https://example.com'), [
    { open: '/cart?a=1' },
    { open: 'https://example.com//example.org/' },
    { wait_for: { url: '/paid' } },
    { wait_for: { url: 'id.example.org' } },
    { wait_for: { selector: '#menu' } },
  ]);
});

test('actions of pa11y become a login', () => {
  const { settings, remarks } = importPa11y(
    {
      defaults: {},
      urls: [
        {
          url: 'https://example.com/login',
          actions: [
            'set field #name to checker',
            'set field #password to open-sesame',
            'click element button',
            'wait for path to be /home',
            'screen capture page to x.png',
          ],
        },
      ],
    },
    '.pa11yci',
  );
  assert.deepEqual(settings['login'], {
    steps: [
      { open: 'https://example.com/login' },
      { fill: '#name', value: 'checker' },
      { fill: '#password', secret_env: 'LOGIN_PASSWORD' },
      { click: 'button' },
      { wait_for: { url: '/home' } },
    ],
  });
  assert.match(remarks.join('\n'), /Action 5 "screen capture page to x\.png" of \S+login is not imported/);
  assert.doesNotMatch(remarks.join('\n'), /open-sesame/);
});
