import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { STANDARD_IDS, type Standard } from '../packages/client/standards.ts';
import { DEFAULT_LIMITS, type LimitsOfPlans, parsePlanLimits } from './accounts/plans.ts';
import { SIGN_UPS, type SignUp } from './accounts/register.ts';
import { canReceiveEmail } from './domain/email-address.ts';
import { parseRecipient } from './platform/age-recipient.ts';
import { AppError } from './platform/errors.ts';
import { isLoopback } from './platform/loopback.ts';
import { nearestName } from './platform/nearest-name.ts';
import { newSecretKey, parseSecretKey } from './platform/secret-box.ts';
import { readSecretFiles } from './platform/secret-files.ts';

/** All settings, parsed once at the start. A test compares `docs/settings.md` with this file. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** How long `serve` continues to respond after SIGTERM, while it reports that it is not ready, in ms. */
  readonly drainMs: number;
  /** Public URL for links, without a trailing slash; null: the address of each request. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL in the data directory. */
  readonly databaseUrl: string | null;
  /** Whether commands migrate the database when they start; otherwise only `migrate` does. */
  readonly migrates: boolean;
  readonly adminToken: string | null;
  /** The API token of another service, which `mcp --url` and the option `--service` of `import`, `run` and `sync` use. */
  readonly token: string | null;
  /** Who may create an account without the operator. */
  readonly signUp: SignUp;
  /** An OpenID Connect provider to sign in with. Null, with the next two, for none. */
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  /** What people call the provider; null: the host of the issuer. */
  readonly oidcName: string | null;
  /** Encrypts stored credentials; null: the key in the data directory. */
  readonly secretKey: Buffer | null;
  readonly allowPrivateNetworks: boolean;
  /** The contact for site owners in the user agent; null: none. */
  readonly contactUrl: string | null;
  /** An external validator; null: this process starts its own. */
  readonly vnuUrl: string | null;
  /** The browser binary; null: one found on the machine, or the bundled one. */
  readonly chromium: string | null;
  /** Documents that this process checks at a time. */
  readonly htmlConcurrency: number;
  readonly a11yConcurrency: number;
  /** How long to wait until a page with scripts stops changing, in ms. Then it is checked in its current state. */
  readonly settleMs: number;
  /** The browser and the validator stop after this time without work, in ms; 0: never. */
  readonly restMs: number;
  /** Reports older than this are deleted; null keeps them. */
  readonly retentionDays: number | null;
  /** Where `serve` writes backups; null: nowhere. */
  readonly backupDir: string | null;
  /** The time of day of backups, in milliseconds after 00:00 UTC. */
  readonly backupTimeMs: number;
  readonly backupsKept: number;
  /** The public key for which backups are encrypted; null: they are not. */
  readonly backupRecipient: string | null;
  /** Entries of the audit log older than this are deleted. */
  readonly auditDays: number;
  /** Addresses and networks whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[];
  readonly planLimits: LimitsOfPlans;
  /** The standard of accounts that have not chosen one; null: none. */
  readonly standard: Standard | null;
  /** Requests per second to a host, across all reports; null: the highest rate limit of a report. */
  readonly hostRateLimit: number | null;
  /** Requests per minute and token; null: no limit. */
  readonly apiRateLimit: number | null;
  /** The time of day of schedules, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
  /** The mail server. Null, with `mailFrom`, to send no email. */
  readonly smtpUrl: string | null;
  /** The sender of emails: an address, with or without a name. */
  readonly mailFrom: string | null;
  /** A port that serves only metrics, 0 for a free one; null: the service's own. */
  readonly metricsPort: number | null;
  /** The token that requests for metrics must have; null: none. */
  readonly metricsToken: string | null;
  readonly logLevel: LogLevel;
  readonly logFormat: 'pretty' | 'json';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** The context on which defaults depend. */
interface UnsetContext {
  readonly environment: Environment;
  readonly host: string;
  readonly isTerminal: boolean;
  readonly isWorker: boolean;
}

/** A setting: its environment variable, its parser and its default. */
interface Setting<T> {
  readonly name: string;
  parse(text: string): T;
  unset(context: UnsetContext): T;
}

const CONCURRENCY_MAX = 64;
/** After less time, most pages have not rendered anything yet; the maximum is the longest useful wait. */
const SETTLE_MS = { min: 100, max: 60_000, preset: 10_000 } as const;
/** A week. */
const REST_SECONDS_MAX = 604_800;
/** Load balancers notice within seconds that a process is not ready. */
const DRAIN_SECONDS_MAX = 600;
/** A century. */
const RETENTION_DAYS_MAX = 36_500;
/** 02:00 UTC. */
const BACKUP_TIME_MS = 7_200_000;
/** A week by default; at most ten years. */
const BACKUPS_KEPT = { max: 3_650, preset: 7 } as const;

/** All settings, in the order of `docs/settings.md`. */
export const SETTINGS = {
  port: setting('PORT', wholeNumber(0, 65_535), () => 3000),
  host: setting('HOST', nonEmpty, () => '127.0.0.1'),
  drainMs: setting('SITEWARDEN_DRAIN_SECONDS', secondsUpTo(DRAIN_SECONDS_MAX), () => 0),
  baseUrl: setting<string | null>('SITEWARDEN_BASE_URL', httpUrl, () => null),
  dataDir: setting(
    'SITEWARDEN_DATA_DIR',
    (text) => resolve(nonEmpty(text)),
    () => resolve('data'),
  ),
  databaseUrl: setting<string | null>('DATABASE_URL', postgresUrl, () => null),
  migrates: setting('SITEWARDEN_MIGRATE', boolean, () => true),
  adminToken: setting<string | null>('SITEWARDEN_ADMIN_TOKEN', longToken, () => null),
  token: setting<string | null>('SITEWARDEN_TOKEN', visibleText, () => null),
  signUp: setting<SignUp>('SITEWARDEN_SIGN_UP', oneOf(SIGN_UPS), () => 'closed'),
  oidcIssuer: setting<string | null>('SITEWARDEN_OIDC_ISSUER', issuer, () => null),
  oidcClientId: setting<string | null>('SITEWARDEN_OIDC_CLIENT_ID', nonEmpty, () => null),
  oidcClientSecret: setting<string | null>('SITEWARDEN_OIDC_CLIENT_SECRET', nonEmpty, () => null),
  oidcName: setting<string | null>('SITEWARDEN_OIDC_NAME', nonEmpty, () => null),
  secretKey: setting<Buffer | null>('SITEWARDEN_SECRET_KEY', secretKey, () => null),
  allowPrivateNetworks: setting('SITEWARDEN_ALLOW_PRIVATE_NETWORKS', boolean, ({ environment, host, isWorker }) => {
    const baseUrl = environment['SITEWARDEN_BASE_URL'] || null;
    const trustedProxies = list(environment['SITEWARDEN_TRUSTED_PROXIES'] ?? '');
    return reasonForRemoteAccess({ host, baseUrl, trustedProxies }, isWorker) === null;
  }),
  contactUrl: setting<string | null>('SITEWARDEN_CONTACT_URL', contactUrl, () => null),
  vnuUrl: setting<string | null>('SITEWARDEN_VNU_URL', httpUrl, () => null),
  chromium: setting<string | null>('SITEWARDEN_CHROMIUM', nonEmpty, () => null),
  htmlConcurrency: setting('SITEWARDEN_HTML_CONCURRENCY', wholeNumber(1, CONCURRENCY_MAX), perCore),
  a11yConcurrency: setting('SITEWARDEN_A11Y_CONCURRENCY', wholeNumber(1, CONCURRENCY_MAX), perCore),
  settleMs: setting('SITEWARDEN_SETTLE_MS', wholeNumber(SETTLE_MS.min, SETTLE_MS.max), () => SETTLE_MS.preset),
  restMs: setting('SITEWARDEN_REST_SECONDS', secondsUpTo(REST_SECONDS_MAX), () => 600_000),
  retentionDays: setting<number | null>('SITEWARDEN_RETENTION_DAYS', wholeNumber(1, RETENTION_DAYS_MAX), () => null),
  backupDir: setting<string | null>(
    'SITEWARDEN_BACKUP_DIR',
    (text) => resolve(nonEmpty(text)),
    () => null,
  ),
  backupTimeMs: setting('SITEWARDEN_BACKUP_TIME', timeOfDay, () => BACKUP_TIME_MS),
  backupsKept: setting('SITEWARDEN_BACKUPS_KEPT', wholeNumber(1, BACKUPS_KEPT.max), () => BACKUPS_KEPT.preset),
  backupRecipient: setting<string | null>('SITEWARDEN_BACKUP_RECIPIENT', parseRecipient, () => null),
  auditDays: setting('SITEWARDEN_AUDIT_DAYS', wholeNumber(1, RETENTION_DAYS_MAX), () => 365),
  trustedProxies: setting<readonly string[]>('SITEWARDEN_TRUSTED_PROXIES', list, () => []),
  planLimits: setting('SITEWARDEN_PLAN_LIMITS', parsePlanLimits, () => DEFAULT_LIMITS),
  standard: setting<Standard | null>('SITEWARDEN_STANDARD', oneOf(STANDARD_IDS), () => null),
  hostRateLimit: setting<number | null>('SITEWARDEN_HOST_RATE_LIMIT', wholeNumber(1, 1_000), () => null),
  apiRateLimit: setting<number | null>('SITEWARDEN_API_RATE_LIMIT', wholeNumber(1, 1_000_000), () => null),
  scheduleTimeMs: setting('SITEWARDEN_SCHEDULE_TIME', timeOfDay, () => 0),
  smtpUrl: setting<string | null>('SITEWARDEN_SMTP_URL', smtpUrl, () => null),
  mailFrom: setting<string | null>('SITEWARDEN_MAIL_FROM', mailFrom, () => null),
  metricsPort: setting<number | null>('SITEWARDEN_METRICS_PORT', wholeNumber(0, 65_535), () => null),
  metricsToken: setting<string | null>('SITEWARDEN_METRICS_TOKEN', longToken, () => null),
  logLevel: setting<LogLevel>('SITEWARDEN_LOG_LEVEL', oneOf(LOG_LEVELS), () => 'info'),
  logFormat: setting<'pretty' | 'json'>('SITEWARDEN_LOG_FORMAT', oneOf(['pretty', 'json']), ({ isTerminal }) =>
    isTerminal ? 'pretty' : 'json',
  ),
} as const satisfies { readonly [Key in keyof Config]: Setting<Config[Key]> };

/** The settings that can be read from a file: `DATABASE_URL_FILE` for `DATABASE_URL`. */
export const SECRET_SETTINGS: readonly string[] = [
  SETTINGS.databaseUrl,
  SETTINGS.adminToken,
  SETTINGS.token,
  SETTINGS.oidcClientSecret,
  SETTINGS.secretKey,
  SETTINGS.smtpUrl,
  SETTINGS.metricsToken,
].map(({ name }) => name);

/**
 * Reads the settings from the environment.
 * @param isWorker true for a process that works on the reports of a service elsewhere
 * @throws AppError `invalid_configuration`, naming all unknown and invalid settings
 */
export function loadConfig(given: Environment, isTerminal: boolean, isWorker = false): Config {
  const problems: string[] = [];
  const known = Object.values(SETTINGS).map((item) => item.name);
  const environment = readSecretFiles(given, { secrets: SECRET_SETTINGS, known }, problems);
  problems.push(...unknownSettings(environment));
  const host = environment[SETTINGS.host.name] || '127.0.0.1';
  const config = readAll({ environment, host, isTerminal, isWorker }, problems);
  if (problems.length === 0) problems.push(...incompleteProvider(environment), ...incompleteMail(environment));
  if (problems.length > 0) {
    throw new AppError('invalid_configuration', `${problems.join('\n')}\nThe settings are listed in docs/settings.md.`);
  }
  return Object.freeze(config);
}

/** Reads all settings, with defaults for invalid settings, which it adds to `problems`. */
function readAll(context: UnsetContext, problems: string[]): Config {
  const read = <T>({ name, parse, unset }: Setting<T>): T => {
    const text = context.environment[name];
    if (text === undefined || text === '') return unset(context);
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : 'is invalid'}`);
      return unset(context);
    }
  };
  return {
    port: read(SETTINGS.port),
    host: read(SETTINGS.host),
    drainMs: read(SETTINGS.drainMs),
    baseUrl: read(SETTINGS.baseUrl),
    dataDir: read(SETTINGS.dataDir),
    databaseUrl: read(SETTINGS.databaseUrl),
    migrates: read(SETTINGS.migrates),
    adminToken: read(SETTINGS.adminToken),
    token: read(SETTINGS.token),
    signUp: read(SETTINGS.signUp),
    oidcIssuer: read(SETTINGS.oidcIssuer),
    oidcClientId: read(SETTINGS.oidcClientId),
    oidcClientSecret: read(SETTINGS.oidcClientSecret),
    oidcName: read(SETTINGS.oidcName),
    secretKey: read(SETTINGS.secretKey),
    allowPrivateNetworks: read(SETTINGS.allowPrivateNetworks),
    contactUrl: read(SETTINGS.contactUrl),
    vnuUrl: read(SETTINGS.vnuUrl),
    chromium: read(SETTINGS.chromium),
    htmlConcurrency: read(SETTINGS.htmlConcurrency),
    a11yConcurrency: read(SETTINGS.a11yConcurrency),
    settleMs: read(SETTINGS.settleMs),
    restMs: read(SETTINGS.restMs),
    retentionDays: read(SETTINGS.retentionDays),
    backupDir: read(SETTINGS.backupDir),
    backupTimeMs: read(SETTINGS.backupTimeMs),
    backupsKept: read(SETTINGS.backupsKept),
    backupRecipient: read(SETTINGS.backupRecipient),
    auditDays: read(SETTINGS.auditDays),
    trustedProxies: read(SETTINGS.trustedProxies),
    planLimits: read(SETTINGS.planLimits),
    standard: read(SETTINGS.standard),
    hostRateLimit: read(SETTINGS.hostRateLimit),
    apiRateLimit: read(SETTINGS.apiRateLimit),
    scheduleTimeMs: read(SETTINGS.scheduleTimeMs),
    smtpUrl: read(SETTINGS.smtpUrl),
    mailFrom: read(SETTINGS.mailFrom),
    metricsPort: read(SETTINGS.metricsPort),
    metricsToken: read(SETTINGS.metricsToken),
    logLevel: read(SETTINGS.logLevel),
    logFormat: read(SETTINGS.logFormat),
  };
}

/**
 * Returns the configuration of this process. Only this module reads `process.env`.
 * @param isWorker as in `loadConfig`
 * @throws AppError `invalid_configuration`
 */
export function configOfProcess(isWorker = false): Config {
  return loadConfig(process.env, process.stderr.isTTY === true, isWorker);
}

/** Returns the settings of this process that have a value, by their names. For secrets, it only shows that they are set. */
export function givenSettings(): Record<string, string> {
  const names = Object.values(SETTINGS).map(({ name }) => name);
  const shown = (name: string): string => (SECRET_SETTINGS.includes(name) ? '(set)' : (process.env[name] ?? ''));
  return Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, shown(name)]));
}

/** Returns a variable that is not a setting, such as the secret that a file names; undefined if it is not set. */
export function variableOfProcess(name: string): string | undefined {
  return process.env[name];
}

/** Reports unknown variables with the prefix of settings, because misspelled settings would silently do nothing. */
function unknownSettings(environment: Environment): string[] {
  const known: readonly string[] = Object.values(SETTINGS).map((item) => item.name);
  return Object.keys(environment)
    .filter((name) => name.startsWith('SITEWARDEN_') && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const question = nearest === null ? 'did you misspell it?' : `did you mean ${nearest}?`;
      return `${name} is not a setting of this version; ${question}`;
    });
}

/** Reports missing settings of the provider if others are set. */
function incompleteProvider(environment: Environment): string[] {
  const names = [SETTINGS.oidcIssuer, SETTINGS.oidcClientId, SETTINGS.oidcClientSecret].map((item) => item.name);
  return missingOf(environment, names, [SETTINGS.oidcName.name]);
}

/** Reports the email setting that is missing when the other is set. */
function incompleteMail(environment: Environment): string[] {
  return missingOf(environment, [SETTINGS.smtpUrl.name, SETTINGS.mailFrom.name]);
}

/** @param others optional settings, which also require the names */
function missingOf(environment: Environment, names: readonly string[], others: readonly string[] = []): string[] {
  const missing = names.filter((name) => !environment[name]);
  const given = [...names, ...others].filter((name) => environment[name]);
  return given.length === 0 ? [] : missing.map((name) => `${name} must be set to use ${given.join(' and ')}`);
}

function setting<T>(name: string, parse: (text: string) => T, unset: Setting<T>['unset']): Setting<T> {
  return { name, parse, unset };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return value;
  };
}

/** Returns milliseconds. */
function secondsUpTo(max: number): (text: string) => number {
  const parse = wholeNumber(0, max);
  return (text) => parse(text) * 1_000;
}

/** Returns milliseconds after midnight. */
function timeOfDay(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) throw new Error(`must be a time from 00:00 to 23:59, such as 03:30, not "${text}"`);
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be blank');
  return text;
}

function boolean(text: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true;
  if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false;
  throw new Error(`must be true or false, not "${text}"`);
}

function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${text}"`);
    return value;
  };
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be a URL such as https://example.com');
  return url.href.replace(/\/+$/, '');
}

/** Passwords and tokens of people go through the provider, so http is only allowed for a provider on this machine. */
function issuer(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSafe || url.search !== '' || url.hash !== '') {
    throw new Error('must be an https URL such as https://id.example.com/realms/main');
  }
  return text;
}

const CONTACT_URL_CHARACTERS_MAX = 200;

/** Excludes parentheses and backslashes, which would end the comment of the User-Agent header (RFC 9110, 5.6.5). */
function contactUrl(text: string): string {
  const url = URL.parse(text);
  const isContact = url !== null && /^(https?|mailto):$/.test(url.protocol) && url.pathname !== '';
  if (!isContact || url.href.length > CONTACT_URL_CHARACTERS_MAX || /[^\x21-\x7e]|[()\\]/.test(url.href)) {
    throw new Error(
      `must be a URL such as https://example.com/checks or mailto:checks@example.com, without parentheses, of at most ${CONTACT_URL_CHARACTERS_MAX} characters`,
    );
  }
  return url.href;
}

function smtpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new Error('must be a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com');
  }
  return text;
}

/** An address alone, or a name followed by the address in angle brackets. */
function mailFrom(text: string): string {
  const [, , inBrackets, alone] = /^(?:([^<>\r\n]*)<([^<>\s]+)>|(\S+))$/.exec(text.trim()) ?? [];
  if (!canReceiveEmail(inBrackets ?? alone ?? '')) {
    throw new Error('must be an address such as checks@example.com or Site checks <checks@example.com>');
  }
  return text.trim();
}

function postgresUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new Error('must be a URL such as postgres://user:password@host/database');
  return text;
}

const TOKEN_CHARACTERS_MIN = 16;

function longToken(text: string): string {
  if (text.length < TOKEN_CHARACTERS_MIN || /[^\x21-\x7e]/.test(text)) {
    const example = randomBytes(24).toString('base64url');
    throw new Error(`must have at least ${TOKEN_CHARACTERS_MIN} visible ASCII characters, for example ${example}`);
  }
  return text;
}

function visibleText(text: string): string {
  if (/[^\x21-\x7e]/.test(text)) throw new Error('must consist of visible ASCII characters, without spaces');
  return text;
}

function secretKey(text: string): Buffer {
  const key = parseSecretKey(text.trim());
  if (key === null) {
    const example = newSecretKey().toString('base64');
    throw new Error(`must be 32 random bytes in base64 or as 64 hexadecimal digits, for example ${example}`);
  }
  return key;
}

function list(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function perCore(): number {
  return Math.min(availableParallelism(), CONCURRENCY_MAX);
}

/**
 * Returns, for the log, why sites on private networks are allowed or not.
 * @param isWorker as in `loadConfig`
 */
export function reasonForPrivateNetworks(config: Config, isWorker = false): string {
  const reason = reasonForRemoteAccess(config, isWorker);
  if (config.allowPrivateNetworks !== (reason === null)) return 'SITEWARDEN_ALLOW_PRIVATE_NETWORKS is set';
  return reason ?? 'the service can only be reached from this machine';
}

/** Returns why other machines may reach the service; null if they cannot. */
function reasonForRemoteAccess(
  { host, baseUrl, trustedProxies }: Pick<Config, 'host' | 'baseUrl' | 'trustedProxies'>,
  isWorker: boolean,
): string | null {
  // The settings of a worker say nothing about the service that accepts the reports.
  if (isWorker) return 'other machines may reach the service that shares this database';
  if (!isLoopback(host)) return `HOST is ${host}`;
  if (baseUrl !== null && !isLoopback(URL.parse(baseUrl)?.hostname ?? '')) return `SITEWARDEN_BASE_URL is ${baseUrl}`;
  // If HOST is loopback, trusted proxies may still serve other machines, even from an address of this machine.
  return trustedProxies.length === 0 ? null : `SITEWARDEN_TRUSTED_PROXIES is ${trustedProxies.join(', ')}`;
}
