import Type, { type TObject, type TSchema } from 'typebox';
import { REPORT_DEFAULTS } from '../../../packages/client/report-defaults.ts';
import { CHECK_FAIL_ON } from '../../domain/fail-on.ts';
import { requestAttributes } from '../../reports/definition/request-attributes.ts';
import { ATTRIBUTE_OPTIONS } from '../attribute-options.ts';
import { CONFIGURED_JOURNEYS, CONFIGURED_LOGIN } from '../login-file.ts';
import { SITE_ACCESS_OPTIONS } from '../site-access-options.ts';
import { BUDGET_SCHEMA, budgetsMax } from './budgets.ts';
import { MUTING_SCHEMA, mutingsMax } from './mutings.ts';
import { CONFIGURATION_FILE } from './name.ts';

/** The name of the schema for editors, in `docs/schemas`. */
export const CONFIGURATION_SCHEMA_NAME = 'configuration-1.json';

export const nameMaxCharacters = 64;
const sitesMax = 1_000;

/**
 * The attributes of reports that have an option of `check`, without credentials, which do not belong in a repository. Logins
 * and journeys name environment variables.
 */
const SETTINGS = {
  ...Object.fromEntries(
    Object.entries(requestAttributes(REPORT_DEFAULTS)).filter(
      ([name]) => ATTRIBUTE_OPTIONS.has(name) && !Object.hasOwn(SITE_ACCESS_OPTIONS, name),
    ),
  ),
  login: CONFIGURED_LOGIN,
  journeys: CONFIGURED_JOURNEYS,
};

const NAME = /^[a-z0-9][a-z0-9._-]*$/i;

/** The settings of a site in addition to the attributes of its report. */
export const RULES = {
  name: Type.Optional(
    Type.Refine(
      Type.String({
        description: `The name of the site in the terminal and in folder names: at most ${nameMaxCharacters} letters, digits, dots, hyphens and underscores. Defaults to its host.`,
        examples: ['shop'],
      }),
      (text) => NAME.test(text) && text.length <= nameMaxCharacters,
      () =>
        `must have 1 to ${nameMaxCharacters} letters, digits, dots, hyphens or underscores, and begin with a letter or digit`,
    ),
  ),
  fail_on: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `What fails the check, like \`--fail-on\`: a list, or a string separated by commas, of ${CHECK_FAIL_ON.join(', ')}.`,
      examples: [['error'], 'critical,unchecked'],
    }),
  ),
  max_issues: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999,
      description: 'How many issues are allowed, like `--max-issues`.',
      default: 0,
    }),
  ),
  baseline: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'What to compare the site with, like `--baseline`: a file, relative to this file, or the id or URL of a report. ' +
        'Only new issues then fail the check, unless `fail_on` has other values.',
      examples: ['baseline.json'],
    }),
  ),
};

/** Lists whose items are read separately, so that their problems have positions. */
const LIST_SETTINGS = {
  mutings: Type.Optional(
    Type.Array(MUTING_SCHEMA, {
      maxItems: mutingsMax,
      description: 'Issues that do not count. The mutings of a site are added to the mutings of all sites.',
    }),
  ),
  budgets: Type.Optional(
    Type.Array(BUDGET_SCHEMA, {
      maxItems: budgetsMax,
      description:
        'Maximum numbers of occurrences, per site. The budgets of a site are added to the budgets of all sites.',
    }),
  ),
};

const { name: _, ...COMMON_RULES } = RULES;
/** Settings for all sites. */
const COMMON: Record<string, TSchema> = { ...SETTINGS, ...COMMON_RULES, ...LIST_SETTINGS };

/** A site of the file. */
export const SITE_SCHEMA: TObject = Type.Object(
  { starting_url: requestAttributes()['starting_url'] ?? Type.String(), ...SETTINGS, ...RULES, ...LIST_SETTINGS },
  { additionalProperties: false, description: 'A site, with its own settings.' },
);

export const FILE_SCHEMA: TObject = Type.Object(
  {
    sites: Type.Optional(
      Type.Array(SITE_SCHEMA, { maxItems: sitesMax, description: 'The sites to check, one after the other.' }),
    ),
    ...COMMON,
  },
  { additionalProperties: false },
);

/** Returns the JSON Schema of the file, with which editors complete and check it. */
export function configurationJsonSchema(): object {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `The configuration file of sitewarden, ${CONFIGURATION_FILE}`,
    description: 'Sites, and how `check` checks them. Settings next to `sites` apply to all sites.',
    ...FILE_SCHEMA,
  };
  return JSON.parse(JSON.stringify(schema, withoutMarks));
}

/** Drops annotations that only the API uses. */
function withoutMarks(name: string, value: unknown): unknown {
  return name.startsWith('x-') || name.startsWith('~') ? undefined : value;
}
