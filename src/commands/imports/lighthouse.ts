import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { CREDENTIALS_REMARK, type Imported, NOTHING, shown, textsOf } from './imported.ts';
import { COUNT, objectOf, type Shape, TEXTS } from './shape.ts';

/** The configuration of Lighthouse CI: `ci.collect` defines what is checked, `ci.assert` what fails. */

const NOT_IMPORTED: Readonly<Record<string, string>> = {
  startServerCommand: 'start the server before you run check',
  startServerReadyPattern: 'start the server before you run check',
  startServerReadyTimeout: 'start the server before you run check',
  staticDistDir: 'serve the folder before you run check',
  puppeteerScript: 'pass credentials on the command line, as in check --cookie @FILE',
  maxAutodiscoverUrls: 'max_pages limits the pages that the spider finds',
  preset: 'all axe-core rules run; mute the rules that do not apply',
  autodiscoverUrlBlocklist: 'set exclusions to parts of URLs that the spider skips',
};
/** Settings of Lighthouse CI commands other than `collect` and `assert`. */
const PARTS_OF_THE_TOOL = ['upload', 'server', 'wizard', 'healthcheck', 'rcFile'];
const HOW_TO_ASSERT = ['aggregationMethod', 'includePassedAssertions'];
/** Settings for how Lighthouse runs. */
const OF_THE_TOOL = [
  'additive',
  'chromeFlags',
  'chromePath',
  'headful',
  'isSinglePageApplication',
  'method',
  'numberOfRuns',
  'psiApiEndpoint',
  'psiApiKey',
  'psiStrategy',
  'puppeteerLaunchOptions',
];

const LEVELS: readonly unknown[] = ['off', 'warn', 'error'];
const ASSERTION: Shape = {
  words: 'off, warn or error, or a list with one of these and an options object',
  is: (value) =>
    LEVELS.includes(value) ||
    (Array.isArray(value) && LEVELS.includes(value[0]) && (value.length === 1 || isObject(value[1]))),
  each: { words: 'a level, or options', is: () => true, parts: { maxLength: COUNT } },
};
const COLLECT = objectOf({ url: TEXTS, settings: objectOf({}) });
const ASSERT = objectOf({ assertions: { ...objectOf({}), each: ASSERTION } });

export const LIGHTHOUSE: Shape = {
  words: 'an object whose ci is an object',
  is: (value) => isObject(value) && Object.hasOwn(value, 'ci'),
  parts: { ci: objectOf({ collect: COLLECT, assert: ASSERT }) },
};

/** Includes all rules of axe-core that Lighthouse runs. */
const MEASURE = { standard: 'wcag22-aa', best_practices: true } as const;

/**
 * @param values in the form of `LIGHTHOUSE`
 * @param name of the file, for the reasons of mutings
 * @param axeRules ids of axe-core's rules, which Lighthouse uses for its accessibility audits
 */
export function importLighthouse(values: JsonObject, name: string, axeRules: readonly string[]): Imported {
  const ci = isObject(values['ci']) ? values['ci'] : {};
  const collect = isObject(ci['collect']) ? ci['collect'] : {};
  const assert = isObject(ci['assert']) ? ci['assert'] : {};
  const assertions = isObject(assert['assertions']) ? Object.entries(assert['assertions']) : [];
  const ofRules = assertions.filter(([audit]) => axeRules.includes(audit));
  const others = assertions.filter(([audit]) => !axeRules.includes(audit)).map(([audit]) => audit);
  const off = ofRules.filter(([, value]) => levelOf(value) === 'off').map(([rule]) => rule);
  const budgets = ofRules.flatMap(([rule, value]) => {
    const max = optionsOf(value)['maxLength'];
    return levelOf(value) === 'error' && typeof max === 'number' && max > 0 ? [{ rule, max }] : [];
  });
  const warned = ofRules.filter(([, value]) => levelOf(value) === 'warn').map(([rule]) => rule);
  return {
    ...NOTHING,
    urls: textsOf(collect['url']),
    // Accessibility is the only category of Lighthouse that this service also checks.
    settings: { perform_a11y_checks: true, perform_html_checks: false, ...MEASURE },
    mutings: off.map((rule) => ({ rule, reason: `Off in ${name}.` })),
    budgets,
    remarks: [
      ...othersThan(values, ['ci'], ''),
      ...othersThan(ci, ['collect', 'assert', ...PARTS_OF_THE_TOOL], 'ci.'),
      ...othersThan(assert, ['assertions', 'assertMatrix', 'budgetsFile', ...HOW_TO_ASSERT], 'assert.'),
      ...collectRemarks(collect),
      ...(others.length === 0
        ? []
        : [`Assertions on ${listed(others)} are not imported: sitewarden only checks audits that are axe-core rules.`]),
      ...(warned.length === 0
        ? []
        : [
            `Assertions that only warn are not imported: ${listed(warned)}. In sitewarden, these rules fail a check unless they are muted.`,
          ]),
      ...(assert['assertMatrix'] === undefined
        ? []
        : ['assertMatrix is not imported: use mutings with a url, or separate settings per site.']),
      ...(assert['budgetsFile'] === undefined
        ? []
        : ['budgetsFile is not imported: sitewarden does not measure sizes and times.']),
    ],
    notes: deviceNotes(collect),
  };
}

/** Reports keys that are not read. */
function othersThan(values: JsonObject, known: readonly string[], path: string): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    known.includes(key)
      ? []
      : [`${path}${key} ${shown(value)} is not imported: ${NOT_IMPORTED[key] ?? 'this setting is unknown'}.`],
  );
}

function collectRemarks(collect: JsonObject): string[] {
  const own = othersThan(collect, ['url', 'settings', ...OF_THE_TOOL], '');
  const settings = isObject(collect['settings']) ? collect['settings'] : {};
  const { extraHeaders } = settings;
  return [...own, ...(extraHeaders === undefined ? [] : [`extraHeaders is not imported: ${CREDENTIALS_REMARK}.`])];
}

function deviceNotes(collect: JsonObject): string[] {
  const { preset, formFactor } = isObject(collect['settings']) ? collect['settings'] : {};
  if (preset === 'desktop' || formFactor === 'desktop') return [];
  return ['Lighthouse emulates a phone by default. Choose a device with device_id (check --device help lists them).'];
}

/** An assertion is a level, or a list of a level and options. */
function levelOf(assertion: unknown): unknown {
  return Array.isArray(assertion) ? assertion[0] : assertion;
}

function optionsOf(assertion: unknown): JsonObject {
  const options = Array.isArray(assertion) ? assertion[1] : undefined;
  return isObject(options) ? options : {};
}

function listed(names: readonly string[]): string {
  const shownNames = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shownNames} and ${names.length - 5} more` : shownNames;
}
