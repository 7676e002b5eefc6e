import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { type Config, loadConfig, reasonForPrivateNetworks, SECRET_SETTINGS, SETTINGS } from '../../src/config.ts';
import { AppError } from '../../src/platform/errors.ts';
import { newSecretKey } from '../../src/platform/secret-box.ts';

type Key = keyof Config;

/** The message with which the environment is rejected. */
function refusal(environment: Record<string, string>): string {
  try {
    loadConfig(environment, false);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'invalid_configuration');
    return error.message;
  }
  return assert.fail(`accepted ${JSON.stringify(environment)}`);
}

function readOne(key: Key, text: string): unknown {
  return loadConfig({ [SETTINGS[key].name]: text }, false)[key];
}

const KEY = newSecretKey();
const cores = Math.min(availableParallelism(), 64);
const defaults: Config = {
  port: 3000,
  host: '127.0.0.1',
  drainMs: 0,
  baseUrl: null,
  dataDir: resolve('data'),
  databaseUrl: null,
  migrates: true,
  adminToken: null,
  token: null,
  signUp: 'closed',
  oidcIssuer: null,
  oidcClientId: null,
  oidcClientSecret: null,
  oidcName: null,
  secretKey: null,
  allowPrivateNetworks: true,
  contactUrl: null,
  vnuUrl: null,
  chromium: null,
  htmlConcurrency: cores,
  a11yConcurrency: cores,
  settleMs: 10_000,
  restMs: 600_000,
  retentionDays: null,
  backupDir: null,
  backupTimeMs: 7_200_000,
  backupsKept: 7,
  backupRecipient: null,
  auditDays: 365,
  trustedProxies: [],
  planLimits: DEFAULT_LIMITS,
  standard: null,
  hostRateLimit: null,
  apiRateLimit: null,
  scheduleTimeMs: 0,
  smtpUrl: null,
  mailFrom: null,
  metricsPort: null,
  metricsToken: null,
  logLevel: 'info',
  logFormat: 'json',
};

it('has the settings of a provider together', () => {
  const all = {
    SITEWARDEN_OIDC_ISSUER: 'http://localhost:8080/realms/main',
    SITEWARDEN_OIDC_CLIENT_ID: 'sitewarden',
    SITEWARDEN_OIDC_CLIENT_SECRET: 'a secret',
  };
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName } = loadConfig(all, false);
  assert.deepEqual(
    [oidcIssuer, oidcClientId, oidcClientSecret, oidcName],
    ['http://localhost:8080/realms/main', 'sitewarden', 'a secret', null],
  );
  assert.throws(
    () => loadConfig({ SITEWARDEN_OIDC_NAME: 'Example', SITEWARDEN_OIDC_CLIENT_ID: 'sitewarden' }, false),
    /OIDC_ISSUER must be set to use SITEWARDEN_OIDC_CLIENT_ID and SITEWARDEN_OIDC_NAME\nSITEWARDEN_OIDC_CLIENT_SECRET must/,
  );
});

it('has a mail server and a sender together', () => {
  const all = {
    SITEWARDEN_SMTP_URL: 'smtps://u:p@mail.example.com',
    SITEWARDEN_MAIL_FROM: 'Checks <checks@example.com>',
  };
  const { smtpUrl, mailFrom } = loadConfig(all, false);
  assert.deepEqual([smtpUrl, mailFrom], Object.values(all));
  assert.match(
    refusal({ SITEWARDEN_SMTP_URL: 'smtp://localhost' }),
    /^SITEWARDEN_MAIL_FROM must be set to use SITEWARDEN_SMTP_URL/,
  );
});

const accepted: readonly (readonly [key: Key, text: string, value: unknown])[] = [
  ['port', '0', 0],
  ['port', '65535', 65_535],
  ['host', '::1', '::1'],
  ['baseUrl', 'https://checks.example.com/', 'https://checks.example.com'],
  ['baseUrl', 'https://example.com/checks//', 'https://example.com/checks'],
  ['dataDir', '/var/lib/sitewarden', '/var/lib/sitewarden'],
  ['dataDir', 'here', resolve('here')],
  ['databaseUrl', 'postgres://u:p@db/sites', 'postgres://u:p@db/sites'],
  ['databaseUrl', 'postgresql://db/sites', 'postgresql://db/sites'],
  ['adminToken', '0123456789abcdef', '0123456789abcdef'],
  ['token', 'sw_0123', 'sw_0123'],
  ['signUp', 'invite', 'invite'],
  ['secretKey', KEY.toString('base64'), KEY],
  ['secretKey', KEY.toString('base64url'), KEY],
  ['secretKey', KEY.toString('hex').toUpperCase(), KEY],
  ['allowPrivateNetworks', 'FALSE', false],
  ['allowPrivateNetworks', 'on', true],
  ['contactUrl', 'https://example.com', 'https://example.com/'],
  ['contactUrl', 'mailto:checks@example.com', 'mailto:checks@example.com'],
  ['contactUrl', 'https://exämple.com/a b', 'https://xn--exmple-cua.com/a%20b'],
  ['vnuUrl', 'http://127.0.0.1:8888/', 'http://127.0.0.1:8888'],
  ['chromium', '/usr/bin/chromium', '/usr/bin/chromium'],
  ['htmlConcurrency', '1', 1],
  ['a11yConcurrency', '64', 64],
  ['standard', 'wcag22-aa', 'wcag22-aa'],
  ['settleMs', '100', 100],
  ['settleMs', '60000', 60_000],
  ['restMs', '0', 0],
  ['restMs', '604800', 604_800_000],
  ['retentionDays', '1', 1],
  ['retentionDays', '36500', 36_500],
  ['backupDir', '/backups', '/backups'],
  ['backupTimeMs', '23:30', 84_600_000],
  ['backupsKept', '1', 1],
  [
    'backupRecipient',
    'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
    'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  ],
  ['backupsKept', '3650', 3_650],
  ['auditDays', '90', 90],
  ['drainMs', '10', 10_000],
  ['migrates', 'false', false],
  ['metricsPort', '9464', 9464],
  ['metricsToken', 'metrics-token-0123456789', 'metrics-token-0123456789'],
  ['trustedProxies', ' 10.0.0.1, 192.168.0.0/16 ,', ['10.0.0.1', '192.168.0.0/16']],
  ['planLimits', ' , ', DEFAULT_LIMITS],
  ['hostRateLimit', '1000', 1_000],
  ['apiRateLimit', '600', 600],
  ['scheduleTimeMs', '00:00', 0],
  ['scheduleTimeMs', '03:30', 12_600_000],
  ['scheduleTimeMs', '23:59', 86_340_000],
  [
    'planLimits',
    'rate_limit=5, free.max_pages = 20,free.rate_limit=1,pro.guest_accounts=0,max_pages=1000000,free.running_reports=7',
    {
      free: { ...DEFAULT_LIMITS.free, max_pages: 1_000_000, rate_limit: 1, running_reports: 7 },
      pro: { ...DEFAULT_LIMITS.pro, max_pages: 1_000_000, rate_limit: 5, guest_accounts: 0 },
      enterprise: { ...DEFAULT_LIMITS.enterprise, max_pages: 1_000_000, rate_limit: 5 },
    },
  ],
  ['logLevel', 'silent', 'silent'],
  ['logFormat', 'pretty', 'pretty'],
];

const refused: readonly (readonly [key: Key, text: string])[] = [
  ['smtpUrl', 'mail.example.com:25'],
  ['smtpUrl', 'https://mail.example.com'],
  ['smtpUrl', 'smtp://'],
  ['mailFrom', 'checks'],
  ['mailFrom', 'a@example.com, b@example.com'],
  ['mailFrom', 'Checks <checks@example.com'],
  ['mailFrom', 'Checks <a@b>\r\nBcc: c@d'],
  ['port', '65536'],
  ['port', '-1'],
  ['port', '80.5'],
  ['port', '0x50'],
  ['port', ' 80'],
  ['host', ' '],
  ['baseUrl', 'checks.example.com'],
  ['baseUrl', 'ftp://example.com'],
  ['dataDir', '  '],
  ['databaseUrl', 'mysql://db/sites'],
  ['databaseUrl', 'db/sites'],
  ['adminToken', '0123456789abcde'],
  ['adminToken', 'sixteen characters but spaces'],
  ['adminToken', '0123456789abcdeé'],
  ['token', 'sw_ with spaces'],
  ['signUp', 'Open'],
  ['oidcIssuer', 'http://id.example.com'],
  ['oidcIssuer', 'https://id.example.com/?a'],
  ['oidcIssuer', 'id.example.com'],
  ['oidcClientId', ' '],
  ['oidcClientSecret', ' '],
  ['oidcName', ' '],
  ['secretKey', 'correct horse battery staple'],
  ['secretKey', 'ab'.repeat(32)],
  ['secretKey', KEY.toString('hex').slice(2)],
  ['secretKey', `${KEY.toString('base64')}=`],
  ['secretKey', Buffer.alloc(32).toString('base64')],
  ['allowPrivateNetworks', 'maybe'],
  ['contactUrl', 'example.com'],
  ['contactUrl', 'mailto:'],
  ['contactUrl', 'javascript:alert'],
  ['contactUrl', 'https://example.com/(checks)'],
  ['contactUrl', 'https://example.com/?a\\b'],
  ['contactUrl', `https://example.com/${'x'.repeat(200)}`],
  ['vnuUrl', '127.0.0.1:8888'],
  ['chromium', ' '],
  ['htmlConcurrency', '0'],
  ['htmlConcurrency', '65'],
  ['retentionDays', '0'],
  ['auditDays', '0'],
  ['drainMs', '601'],
  ['migrates', 'maybe'],
  ['metricsPort', '65536'],
  ['metricsToken', 'tooshort'],
  ['retentionDays', '36501'],
  ['retentionDays', 'never'],
  ['backupDir', '  '],
  ['backupTimeMs', '24:00'],
  ['backupsKept', '0'],
  ['backupRecipient', 'AGE-SECRET-KEY-1QQQQ'],
  ['backupsKept', '3651'],
  ['a11yConcurrency', 'two'],
  ['standard', 'wcag3'],
  ['settleMs', '99'],
  ['settleMs', '60001'],
  ['restMs', '604801'],
  ['hostRateLimit', '0'],
  ['hostRateLimit', '1001'],
  ['apiRateLimit', '0'],
  ['scheduleTimeMs', '24:00'],
  ['scheduleTimeMs', '3:30'],
  ['scheduleTimeMs', '03:60'],
  ['scheduleTimeMs', '03:30:00'],
  ['scheduleTimeMs', 'noon'],
  ['planLimits', 'max_pages=0'],
  ['planLimits', 'max_pages=1000001'],
  ['planLimits', 'max_pages'],
  ['planLimits', '100'],
  ['planLimits', 'max_pages=1e3'],
  ['planLimits', 'gold.max_pages=1'],
  ['planLimits', 'toString.max_pages=1'],
  ['planLimits', 'free.pages=1'],
  ['planLimits', 'free.constructor=1'],
  ['planLimits', 'max_pages=1; rate_limit=1'],
  ['logLevel', 'verbose'],
  ['logFormat', 'xml'],
];

describe('loadConfig', () => {
  it('has a default for every setting', () => {
    assert.deepEqual(loadConfig({}, false), defaults);
    assert.equal(loadConfig({}, true).logFormat, 'pretty');
  });

  it('treats an empty value as unset', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    const empty = Object.fromEntries(names.filter((name) => name !== 'HOST').map((name) => [name, '']));
    assert.deepEqual(loadConfig(empty, false), defaults);
  });

  it('treats an empty HOST as unset for dependent settings too', () => {
    assert.deepEqual(loadConfig({ HOST: '' }, false), defaults);
  });

  it('cannot be changed afterwards', () => {
    assert.ok(Object.isFrozen(loadConfig({}, false)));
  });

  it('allows private networks by default only if no one else can reach the service', () => {
    for (const host of ['127.0.0.1', '127.8.0.1', 'localhost', '::1']) {
      assert.equal(loadConfig({ HOST: host }, false).allowPrivateNetworks, true, host);
    }
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'checks.example.com']) {
      assert.equal(loadConfig({ HOST: host }, false).allowPrivateNetworks, false, host);
    }
    for (const host of ['127.example.com', '[::1].example.com', 'localhost.example.com']) {
      assert.equal(loadConfig({ HOST: host }, false).allowPrivateNetworks, false, host);
    }
    const environment = { HOST: '0.0.0.0', SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'yes' };
    assert.equal(loadConfig(environment, false).allowPrivateNetworks, true);
  });

  it('refuses private networks behind a proxy, and says why', () => {
    const [BASE, PROXIES, ALLOW] = [
      'SITEWARDEN_BASE_URL',
      'SITEWARDEN_TRUSTED_PROXIES',
      'SITEWARDEN_ALLOW_PRIVATE_NETWORKS',
    ];
    const cases: [Record<string, string>, boolean, RegExp][] = [
      [{}, true, /only be reached from this machine/],
      [{ [BASE]: '', [PROXIES]: ' , ' }, true, /only be reached from this machine/],
      [{ [BASE]: 'http://localhost:3000' }, true, /only be reached from this machine/],
      [{ [BASE]: 'http://127.0.0.1' }, true, /only be reached from this machine/],
      [{ [BASE]: 'http://[::1]:8080/' }, true, /only be reached from this machine/],
      [{ [BASE]: 'https://checks.example.com' }, false, /^SITEWARDEN_BASE_URL is https:\/\/checks\.example\.com$/],
      [{ [BASE]: 'https://127.example.com' }, false, /^SITEWARDEN_BASE_URL/],
      [{ [BASE]: 'http://192.168.0.2' }, false, /^SITEWARDEN_BASE_URL/],
      [{ [PROXIES]: '127.0.0.1' }, false, /^SITEWARDEN_TRUSTED_PROXIES is 127\.0\.0\.1$/],
      [{ [PROXIES]: '10.0.0.0/8' }, false, /^SITEWARDEN_TRUSTED_PROXIES/],
      [{ HOST: '0.0.0.0' }, false, /^HOST is 0\.0\.0\.0$/],
      [{ [PROXIES]: '127.0.0.1', [ALLOW]: 'true' }, true, /^SITEWARDEN_ALLOW_PRIVATE_NETWORKS is set$/],
      [{ [ALLOW]: 'false' }, false, /^SITEWARDEN_ALLOW_PRIVATE_NETWORKS is set$/],
    ];
    for (const [environment, allowed, reason] of cases) {
      const config = loadConfig(environment, false);
      assert.equal(config.allowPrivateNetworks, allowed, JSON.stringify(environment));
      assert.match(reasonForPrivateNetworks(config), reason, JSON.stringify(environment));
    }
  });

  it('refuses private networks to a worker unless they are allowed', () => {
    const allow = 'SITEWARDEN_ALLOW_PRIVATE_NETWORKS';
    const cases: [Record<string, string>, boolean, RegExp][] = [
      [{}, false, /^other machines may reach the service that shares this database$/],
      [{ HOST: '127.0.0.1', [allow]: '' }, false, /^other machines may reach the service/],
      [{ [allow]: 'false' }, false, /^other machines may reach the service/],
      [{ [allow]: 'true' }, true, /^SITEWARDEN_ALLOW_PRIVATE_NETWORKS is set$/],
    ];
    for (const [environment, allowed, reason] of cases) {
      const config = loadConfig({ DATABASE_URL: 'postgres://db/sites', ...environment }, false, true);
      assert.equal(config.allowPrivateNetworks, allowed, JSON.stringify(environment));
      assert.match(reasonForPrivateNetworks(config, true), reason, JSON.stringify(environment));
    }
  });

  for (const [key, text, value] of accepted) {
    it(`reads ${SETTINGS[key].name}=${text}`, () => assert.deepEqual(readOne(key, text), value));
  }

  for (const [key, text] of refused) {
    it(`rejects ${SETTINGS[key].name}=${JSON.stringify(text)} and names it`, () => {
      const [first = '', ...rest] = refusal({ [SETTINGS[key].name]: text }).split('\n');
      assert.ok(first.startsWith(`${SETTINGS[key].name} must `), first);
      assert.deepEqual(rest, ['The settings are listed in docs/settings.md.']);
    });
  }

  it('rejects something for every setting that can be invalid', () => {
    const tried = new Set(refused.map(([key]) => key));
    // The server validates the list of proxies.
    const untried = Object.keys(SETTINGS).filter((key) => !tried.has(key as Key) && key !== 'trustedProxies');
    assert.deepEqual(untried, []);
  });

  it('never repeats a rejected token or password', () => {
    assert.doesNotMatch(refusal({ SITEWARDEN_ADMIN_TOKEN: 'tooshort' }), /tooshort/);
    assert.doesNotMatch(refusal({ DATABASE_URL: 'mysql://u:secret@db/x' }), /secret/);
  });

  it('suggests a token that it accepts', () => {
    const example = /for example (\S+)$/m.exec(refusal({ SITEWARDEN_ADMIN_TOKEN: 'short' }))?.[1] ?? '';
    assert.equal(readOne('adminToken', example), example);
  });

  it('rejects misspelt SITEWARDEN_ names, and ignores all others', () => {
    assert.match(
      refusal({ SITEWARDEN_DATADIR: '/data' }),
      /^SITEWARDEN_DATADIR is not a setting of this version; did you mean SITEWARDEN_DATA_DIR\?/,
    );
    assert.deepEqual(loadConfig({ SITEWARDENS: '1', HOSTNAME: 'box', PATH: '/bin' }, false), defaults);
  });

  it('reports all problems at once', () => {
    const message = refusal({ PORT: 'http', SITEWARDEN_TOKENS: 'x', SITEWARDEN_LOG_LEVEL: 'loud', HOST: '0.0.0.0' });
    const lines = message.split('\n').map((line) => line.split(' ', 1)[0]);
    assert.deepEqual(lines, ['SITEWARDEN_TOKENS', 'PORT', 'SITEWARDEN_LOG_LEVEL', 'The']);
  });
});

describe('secrets in files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sitewarden-secrets-'));
  after(() => rmSync(directory, { recursive: true }));
  const file = (content: string): string => {
    const path = join(directory, 'secret');
    writeFileSync(path, content);
    return path;
  };

  it('are read without their closing line break, for each secret setting', () => {
    const url = 'postgresql://user:pass@127.0.0.1/sitewarden';
    assert.equal(loadConfig({ DATABASE_URL_FILE: file(`${url}\n`) }, false).databaseUrl, url);
    for (const name of SECRET_SETTINGS) {
      assert.match(refusal({ [`${name}_FILE`]: join(directory, 'absent') }), new RegExp(`^${name}_FILE: ENOENT`));
    }
  });

  it('are refused if they are ambiguous, empty, or not of a secret, and never ignored', () => {
    const path = file('postgresql://127.0.0.1/one');
    assert.match(
      refusal({ DATABASE_URL_FILE: path, DATABASE_URL: 'postgresql://127.0.0.1/two' }),
      /^DATABASE_URL_FILE and DATABASE_URL are both set; remove one of them\n/,
    );
    assert.match(
      refusal({ PORT_FILE: path }),
      /^PORT_FILE is not a setting: only DATABASE_URL, .* can be read from a file/,
    );
    assert.match(refusal({ SITEWARDEN_BASE_URL_FILE: path }), /^SITEWARDEN_BASE_URL_FILE is not a setting/);
    assert.match(refusal({ SITEWARDEN_SECRETKEY_FILE: path }), /^SITEWARDEN_SECRETKEY_FILE is not a setting/);
    assert.match(refusal({ SITEWARDEN_TOKEN_FILE: file('\n') }), /is empty/);
    assert.match(refusal({ DATABASE_URL_FILE: file('not a url') }), /^DATABASE_URL /);
    assert.equal(loadConfig({ SSL_CERT_FILE: path, DATABASE_URL_FILE: '' }, false).databaseUrl, null);
  });
});
