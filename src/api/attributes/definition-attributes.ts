import Type, { type TSchema } from 'typebox';
import { PERFORMED_CHECKS, STORED_RAW_CHECKS, shownKinds } from '../../checks/check-attributes.ts';
import type { CheckKind } from '../../domain/check.ts';
import { REPORT_COLUMNS, type ReportAttributes, schemasOf } from '../../domain/report-attributes.ts';
import { columnsOf, type ReportColumns } from '../../domain/report-definition.ts';
import { ADDITIVE, flag, UUID } from '../../domain/schemas.ts';

// The device is shown as a relationship.
const { device_id: _, ...SHOWN_COLUMNS } = schemasOf(REPORT_COLUMNS);

/** The attributes that reports and schedules show of their definition (docs/contract/resources.md). */
export const SHOWN_DEFINITION = { ...SHOWN_COLUMNS, ...shownSchemas(PERFORMED_CHECKS) };

/** Renders `SHOWN_DEFINITION`. @param checks the kinds of checks that the viewer can see */
export function definitionAttributes(of: ReportColumns, checks: readonly CheckKind[]) {
  const { device_id: _, ...columns } = columnsOf(of);
  return { ...columns, ...shownKinds('perform', checks) };
}

/** Attributes that schedules show in addition to the contract, so that they can be changed. */
export const SHOWN_RAW_CHECKS = shownSchemas(STORED_RAW_CHECKS, ADDITIVE);

export const SIGNS_IN = flag(
  'Whether it has `basic_auth`, `headers`, `cookies` or a `login` for the site, which are not shown. If so, URLs that sign users out ' +
    '(such as `/logout` or `?action=logout`) are skipped unless they are initial URLs. If it sends a cookie or an ' +
    '`Authorization` header, pages that redirect to a login page fail.',
  { examples: [false], ...ADDITIVE },
);

export const NEEDS_CREDENTIALS = flag(
  'Whether its stored credentials cannot be decrypted, because the key of the installation was replaced. Enter them again, or ' +
    'delete them; until then, its runs fail.',
  { examples: [false], ...ADDITIVE },
);

/** The site of a new report or schedule. */
export const GIVEN_SITE = Type.Optional(
  Type.With(UUID, {
    description: 'The id of the site that it belongs to. The default is the site with its starting URL, or a new site.',
    ...ADDITIVE,
  }),
);

/** Returns the schemas of engines' attributes, which responses omit if an additive engine is off. */
function shownSchemas(attributes: ReportAttributes, marks?: object): Record<string, TSchema> {
  const schemas = Object.entries(schemasOf(attributes, marks));
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, attributes[name]?.isAdditive ? Type.Optional(schema) : schema]),
  );
}
