import type { Standard } from '../../../packages/client/standards.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { CREDENTIALS_REMARK, type Imported, type ImportedMuting, shown, textsOf } from './imported.ts';
import type { StepsTarget } from './login-steps.ts';
import { importActions } from './pa11y-actions.ts';
import { COUNT, FLAG, objectOf, type Shape, TEXT, TEXTS } from './shape.ts';

/** The configuration of pa11y-ci: URLs, defaults for all of them, and settings for individual URLs. */

/** The replacement of each pa11y setting; undefined for settings that are translated. */
const NOT_IMPORTED: Readonly<Record<string, string>> = {
  timeout: 'sitewarden has its own time limit for pages',
  wait: 'pages are checked once they have settled; set wait_for to the selector of an element to wait for',
  actions: 'only one list of actions is imported as login, and journeys of several hosts are not imported',
  viewport: 'choose a device with device_id (check --device help lists them)',
  headers: CREDENTIALS_REMARK,
  userAgent: 'device_id sets the user agent of the device',
  rootElement: 'whole pages are checked; mute the rest by selector',
  rules: 'sitewarden does not run HTML CodeSniffer',
  method: 'pages are fetched with GET',
  postData: 'pages are fetched with GET',
  level: 'fail_on determines what fails a check',
};
/** Settings for how pa11y runs, not for what it checks. */
const OF_THE_TOOL = [
  'chromeLaunchConfig',
  'concurrency',
  'includeNotices',
  'levelCapWhenNeedsReview',
  'log',
  'reporters',
  'reporter',
  'runners',
  'useIncognitoBrowserContext',
  'threshold',
];

/** The standards of pa11y, which follow WCAG 2.1. Earlier versions had Section 508. */
const STANDARDS: Readonly<Record<string, Standard>> = {
  WCAG2A: 'wcag21-a',
  WCAG2AA: 'wcag21-aa',
  WCAG2AAA: 'wcag21-aaa',
  Section508: 'section-508',
};
/** pa11y's default. */
const STANDARD_DEFAULT = 'WCAG2AA';

const SETTINGS = {
  ignore: TEXTS,
  hideElements: TEXTS,
  includeWarnings: FLAG,
  threshold: COUNT,
  headers: { ...objectOf({}), isSecret: true },
};
const PAGE: Shape = {
  words: 'a URL, or an object with a URL',
  is: (value) => typeof value === 'string' || isObject(value),
  parts: { ...SETTINGS, url: TEXT },
};

export const PA11Y: Shape = {
  words: 'an object with urls or defaults',
  is: (value) => isObject(value) && (Object.hasOwn(value, 'urls') || Object.hasOwn(value, 'defaults')),
  parts: {
    defaults: objectOf(SETTINGS),
    urls: { words: 'a list of URLs', is: Array.isArray, each: PAGE },
  },
};

/**
 * @param values in the form of `PA11Y`
 * @param name of the file, for the reasons of mutings
 * @param as what actions become; undefined to decide by what they enter
 */
export function importPa11y(values: JsonObject, name: string, as?: StepsTarget): Imported {
  const remarks = Object.entries(values).flatMap(([key, value]) =>
    key === 'defaults' || key === 'urls' ? [] : [`${key} ${shown(value)} is not imported: this setting is unknown.`],
  );
  const mutings: ImportedMuting[] = [];
  const defaults = isObject(values['defaults']) ? values['defaults'] : {};
  const listed: readonly unknown[] = [values['urls'] ?? []].flat();
  const pages = listed.flatMap((item) => {
    if (typeof item === 'string') return [{ url: item, own: {} }];
    const { url, ...own }: JsonObject = isObject(item) ? item : {};
    if (typeof url === 'string') return [{ url, own }];
    remarks.push(`urls has an entry without a URL, which is skipped: ${shown(item)}.`);
    return [];
  });
  const read = (settings: JsonObject, url?: string): void => {
    mutings.push(...mutingsOf(settings, { name, url, remarks }));
    remarks.push(...remarksOn(settings, url));
  };
  const actions = importActions(defaults, pages, name, as);
  remarks.push(...actions.remarks);
  const { actions: _, ...others } = defaults;
  read(others);
  for (const { url, own } of pages) {
    const { actions: given, ...rest } = own;
    read(given === undefined || actions.imported.has(given) ? rest : own, url);
  }
  remarks.push(...thresholdRemarks(defaults, pages));
  const [only] = pages;
  const threshold = pages.length === 1 ? (only?.own['threshold'] ?? defaults['threshold']) : undefined;
  return {
    urls: pages.map(({ url }) => url),
    settings: {
      // pa11y checks accessibility only.
      perform_a11y_checks: true,
      perform_html_checks: false,
      // With axe, pa11y also reports best practices.
      ...(textsOf(defaults['runners']).includes('axe') && { best_practices: true }),
      standard: STANDARDS[String(defaults['standard'] ?? STANDARD_DEFAULT)] ?? null,
      ...(defaults['includeWarnings'] === true && { fail_on: ['warning'] }),
      ...(defaults['screenCapture'] !== undefined && { store_screenshots: true }),
      ...(typeof threshold === 'number' && threshold > 0 && { max_issues: threshold }),
      ...actions.settings,
    },
    mutings,
    journeys: actions.journeys,
    budgets: [],
    remarks,
    notes: actions.notes,
  };
}

function mutingsOf(
  { ignore, hideElements }: JsonObject,
  { name, url, remarks }: { readonly name: string; readonly url: string | undefined; readonly remarks: string[] },
): ImportedMuting[] {
  const where = url === undefined ? {} : { url };
  const rules = textsOf(ignore).flatMap((code) => {
    // These are types of issues, and only errors count by default.
    if (code === 'warning' || code === 'notice') return [];
    if (/^[a-z][a-z0-9-]*$/.test(code)) return [{ rule: code, ...where, reason: `Ignored in ${name}.` }];
    remarks.push(
      `ignore ${shown(code)} is not imported: it is an HTML CodeSniffer code, which sitewarden does not run.`,
    );
    return [];
  });
  const hidden = textsOf(hideElements).map((selector) => ({ selector, ...where, reason: `Hidden in ${name}.` }));
  return [...rules, ...hidden];
}

function remarksOn(settings: JsonObject, url: string | undefined): string[] {
  const of = url === undefined ? '' : ` of ${url}`;
  const known = [...OF_THE_TOOL, 'ignore', 'hideElements', 'includeWarnings', 'screenCapture', 'standard'];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (url !== undefined && (key === 'includeWarnings' || key === 'screenCapture' || key === 'standard'))
      return [`${key}${of} is not imported: in sitewarden, it applies to a whole site.`];
    if (key === 'standard' && STANDARDS[String(value)] === undefined)
      return [`standard ${shown(value)} is not imported: set standard to a standard listed in docs/standards.md.`];
    if (known.includes(key)) return [];
    // Headers may be secret, and actions may enter passwords.
    const what = key === 'headers' || key === 'actions' ? key : `${key} ${shown(value)}`;
    return [`${what}${of} is not imported: ${NOT_IMPORTED[key] ?? 'this setting is unknown'}.`];
  });
}

/** pa11y allows a number of errors per page, sitewarden per site. */
function thresholdRemarks(defaults: JsonObject, pages: readonly { readonly own: JsonObject }[]): string[] {
  const isSet = [defaults, ...pages.map(({ own }) => own)].some(({ threshold }) => Number(threshold) > 0);
  if (!isSet || pages.length < 2) return [];
  return ['threshold is not imported: it applies to each page. Set max_issues for the site, or a budget for a rule.'];
}
