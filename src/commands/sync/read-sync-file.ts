import { InvalidArgumentError } from 'commander';
import type { TObject } from 'typebox';
import { Check } from 'typebox/schema';
import { type DefaultsAccount, hasPro, reportDefaults } from '../../../packages/client/report-defaults.ts';
import type { PlanLimits } from '../../accounts/plans.ts';
import { findDevice } from '../../browser/devices.ts';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import { FAIL_ON, readFailOn } from '../../domain/fail-on.ts';
import { shownLogin } from '../../domain/login.ts';
import { readTime } from '../../domain/read-time.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { predicateOf } from '../../platform/fault.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { parseNewReport } from '../../reports/definition/new-report.ts';
import type { FilePlace, FileProblem } from '../configuration-file/read-yaml.ts';
import { unknownKey } from '../configuration-file/unknown-key.ts';
import { secretInFile, settingsWithSecrets, validatedSettings } from '../login-file.ts';
import { parseDevice } from '../option-values.ts';
import { SITE_ACCESS_OPTIONS } from '../site-access-options.ts';
import {
  addressOf,
  mutingKey,
  type WantedChannel,
  type WantedMuting,
  type WantedSchedule,
  type WantedSite,
  type WantedState,
} from './desired.ts';
import { type RawFile, type RawMap, type RawSite, readCsvFile, readYamlFile } from './raw-file.ts';
import { readChannel, type Variable } from './read-channel.ts';
import {
  CHANNEL_KEYS,
  CHANNEL_SCHEMA,
  MUTING_KEYS,
  MUTING_SCHEMA,
  REPORT_KEYS,
  SCHEDULE_KEYS,
  SCHEDULE_SCHEMA,
  type ScheduleValues,
  SITE_KEYS,
  SITE_REPORT_KEYS,
  SITE_SCHEMA,
} from './schema.ts';

/** The account that the sites of the file belong to. */
export type SyncAccount = DefaultsAccount & { readonly limits: PlanLimits };

/** Problems that are looked for. More would not be printed. */
const problemsSoughtMax = 200;

/**
 * Reads what a sync file defines.
 * @param format of the file
 * @param account whose limits apply
 * @param variable returns an environment variable, which contains the secret of a channel
 * @returns every problem, or what the file defines if there are none
 */
export function readSyncFile(
  text: string,
  format: 'csv' | 'yaml',
  account: SyncAccount,
  variable: Variable,
): { readonly wanted: WantedState } | { readonly problems: readonly FileProblem[] } {
  const raw = format === 'csv' ? readCsvFile(text) : readYamlFile(text);
  if (raw.problems.length > 0) return { problems: raw.problems };
  const reader = new Reader(account, variable);
  const wanted = reader.read(raw);
  return reader.problems.length > 0 ? { problems: reader.problems } : { wanted };
}

const NEEDS_PRO = 'requires a Pro or Enterprise plan: delete it, or change the plan of the account.';

class Reader {
  readonly problems: FileProblem[] = [];
  readonly #account: SyncAccount;

  readonly #variable: Variable;

  constructor(account: SyncAccount, variable: Variable) {
    this.#account = account;
    this.#variable = variable;
  }

  read(raw: RawFile): WantedState {
    const sites = raw.sites.flatMap((site) => this.#site(site) ?? []);
    const mutings = raw.mutings.flatMap((muting) => this.#muting(muting) ?? []);
    this.#requireUnique(sites, ({ name, startingUrl }) =>
      name === null ? `URL ${addressOf(startingUrl)}` : `name ${name}`,
    );
    this.#requireUnique(mutings, ({ given }) => mutingKey(given));
    const channels = raw.channels.flatMap((channel) => this.#channel(channel) ?? []);
    this.#requireUnique(channels, ({ name }) => name);
    return { sites, mutings, channels };
  }

  #site(raw: RawSite): WantedSite | null {
    const { values, placeOf } = raw;
    const before = this.problems.length;
    this.#requireKnown(raw, SITE_KEYS);
    const own = picked(values, Object.keys(SITE_SCHEMA.properties));
    this.#validate(raw, SITE_SCHEMA, own);
    const settings = this.#settings(this.#withSecrets(picked(values, SITE_REPORT_KEYS), raw), raw);
    const schedules = raw.schedules.map((schedule) => this.#schedule(schedule, settings?.given ?? null));
    const { name } = own;
    if (settings === null || this.problems.length > before) return null;
    const trimmed = typeof name === 'string' ? name.trim() : null;
    const text = trimmed === null ? {} : { name: trimmed };
    return {
      place: placeOf(),
      name: trimmed,
      startingUrl: settings.startingUrl,
      given: { ...settings.given, ...own, ...text },
      shown: { ...settings.shown, ...own, ...text },
      schedules: schedules.flatMap((schedule) => schedule ?? []),
    };
  }

  /** @param ofSite the settings of the site, which apply to a schedule unless it has its own; null if they are invalid */
  #schedule(raw: RawMap, ofSite: JsonObject | null): WantedSchedule | null {
    const { values, placeOf } = raw;
    const before = this.problems.length;
    this.#requireKnown(raw, [...SCHEDULE_KEYS, ...REPORT_KEYS.filter((name) => name !== 'starting_url')]);
    if (!hasPro(this.#account)) this.#report(placeOf('every'), `A schedule ${NEEDS_PRO}`);
    const timing = picked(values, SCHEDULE_KEYS);
    this.#validate(raw, SCHEDULE_SCHEMA, timing);
    const overrides = picked(values, REPORT_KEYS);
    const settings = ofSite && this.#settings({ ...ofSite, ...overrides }, raw);
    if (settings === null || !Check(SCHEDULE_SCHEMA, timing) || this.problems.length > before) return null;
    const { periodicity, shownPeriodicity } = periodicityOf(timing);
    const { every: _, weekday: _weekday, monthday: _monthday, fail_on: failOn, ...others } = timing;
    const reading = failOn === undefined ? undefined : readFailOn(failOn, FAIL_ON);
    // A new schedule gets the login of its site; later, the login changes with the site's login.
    const { login: _login, ...shown } = settings.shown;
    const { login: _given, ...given } = settings.given;
    return {
      place: placeOf('every'),
      given: { ...given, ...others, periodicity, ...(failOn !== undefined && { fail_on: failOn }) },
      shown: {
        ...{ ...shown, ...others, periodicity: shownPeriodicity },
        ...(reading !== undefined && 'failOn' in reading && { fail_on: reading.failOn }),
      },
    };
  }

  #muting(raw: RawMap): WantedMuting | null {
    const before = this.problems.length;
    this.#requireKnown(raw, MUTING_KEYS);
    if (!hasPro(this.#account)) this.#report(raw.placeOf(), `A muting ${NEEDS_PRO}`);
    const values = picked(raw.values, MUTING_KEYS);
    this.#validate(raw, MUTING_SCHEMA, values);
    const { expires_at: expires } = values;
    const time = typeof expires === 'string' ? readTime(expires) : undefined;
    if (time !== undefined && time.problem !== null)
      this.#report(raw.placeOf('expires_at'), `expires_at ${time.problem}.`);
    if (this.problems.length > before) return null;
    return { place: raw.placeOf(), given: values, shown: values, expiresAt: time?.value };
  }

  #channel(raw: RawMap): WantedChannel | null {
    const before = this.problems.length;
    this.#requireKnown(raw, CHANNEL_KEYS);
    const values = picked(raw.values, CHANNEL_KEYS);
    this.#validate(raw, CHANNEL_SCHEMA, values);
    if (this.problems.length > before) return null;
    const read = readChannel(values, this.#variable);
    if (!('problem' in read)) return { ...read.channel, place: raw.placeOf() };
    this.#report(raw.placeOf(read.key), read.problem);
    return null;
  }

  #settings(given: JsonObject, { placeOf }: RawMap) {
    const attributes = this.#withDevice(given, placeOf);
    if (attributes === null) return null;
    if (!Object.hasOwn(attributes, 'starting_url')) {
      this.#report(placeOf(), 'The site has no starting_url.');
      return null;
    }
    if (!hasPro(this.#account)) this.#refusePro(attributes, placeOf);
    const parsed = parseNewReport({ ...reportDefaults(this.#account), ...attributes }, this.#account.limits);
    if ('faults' in parsed) {
      for (const fault of parsed.faults) {
        const [key = ''] = fault.path;
        this.#report(placeOf(key), `${key} ${predicateOf(fault)}.`);
      }
      return null;
    }
    const shown = Object.keys(attributes).map((name): [string, unknown] =>
      name === 'device_id'
        ? ['device', parsed.value.device_id === null ? null : findDevice(parsed.value.device_id)?.name]
        : name === 'login'
          ? [name, parsed.value.siteAccess.login ? shownLogin(parsed.value.siteAccess.login) : null]
          : [name, Object.hasOwn(parsed.value, name) ? Reflect.get(parsed.value, name) : attributes[name]],
    );
    return { given: attributes, shown: Object.fromEntries(shown), startingUrl: parsed.value.starting_url };
  }

  /** Fills in the secrets of logins and journeys, which environment variables contain. */
  #withSecrets(given: JsonObject, { placeOf }: RawMap): JsonObject {
    validatedSettings(given, (key) => this.#report(placeOf(key), secretInFile(key)));
    const { settings, problem } = settingsWithSecrets(given, this.#variable);
    if (problem !== null) this.#report(placeOf(problem.key), `${problem.key}: ${problem.text}.`);
    return settings;
  }

  #refusePro(attributes: JsonObject, placeOf: RawMap['placeOf']): void {
    for (const [name, value] of Object.entries(attributes)) {
      const attribute = REPORT_ATTRIBUTES[name];
      if (attribute?.isPro === true && value !== attribute.default) this.#report(placeOf(name), `${name} ${NEEDS_PRO}`);
    }
  }

  /** Replaces the name of a device with its id. */
  #withDevice(given: JsonObject, placeOf: RawMap['placeOf']): JsonObject | null {
    const { device_id: device } = given;
    if (typeof device !== 'string') return given;
    try {
      return { ...given, device_id: parseDevice(device) };
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      this.#report(placeOf('device_id'), `device_id: ${error.message}`);
      return null;
    }
  }

  #requireKnown({ values, placeOf }: RawMap, known: readonly string[]): void {
    for (const [key, value] of Object.entries(values)) {
      if (key === 'webhook_url' && known === CHANNEL_KEYS) {
        const text = `${key} must not be in the file, because it is a secret: name an environment variable with webhook_url_env.`;
        this.#report(placeOf(key), text);
      } else if (Object.hasOwn(SITE_ACCESS_OPTIONS, key) && !known.includes(key)) {
        const text = `${key} must not be in the file, because others can read it: set it in the dashboard or with the API.`;
        this.#report(placeOf(key), text);
      } else if (!known.includes(key)) this.#report(placeOf(key), unknownKey(key, known, false));
      else if (value === null) this.#report(placeOf(key), `${key} has no value. Add a value, or delete it.`);
    }
  }

  #validate({ placeOf }: RawMap, schema: TObject, values: JsonObject): void {
    for (const [key, fault] of attributeFaults(schema, values)) {
      if (values[key] !== null) this.#report(placeOf(key), `${key} ${predicateOf(fault)}.`);
    }
  }

  #requireUnique<T extends { readonly place: FilePlace }>(items: readonly T[], keyOf: (item: T) => string): void {
    const lines = new Map<string, number>();
    for (const item of items) {
      const key = keyOf(item);
      const line = lines.get(key);
      if (line === undefined) lines.set(key, item.place.line);
      else this.#report(item.place, `This is the same as on line ${line}. Delete one, or give sites different names.`);
    }
  }

  #report(place: FilePlace, text: string): void {
    if (this.problems.length < problemsSoughtMax) this.problems.push({ ...place, text });
  }
}

function picked(values: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

/** Returns the periodicity as in requests, and as schedules show it: null if they have no days. */
function periodicityOf({ every, weekday = 'monday', monthday = 1 }: ScheduleValues) {
  const days = every === 'week' ? { every, weekday } : every === 'month' ? { every, monthday } : { every };
  return { periodicity: days, shownPeriodicity: every === 'deploy' ? null : days };
}
