// Writes the generated files of the client library from the sources of this checkout: the types of the API,
// packages/client/schema.ts, from the OpenAPI document, the settings of reports, packages/client/report-attributes.ts, from the
// tables of attributes and engines, and values and limits that the dashboard names, packages/client/values.ts.
//   npm run api-types
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD_CHARACTERS } from '../src/accounts/passwords.ts';
import { reportsDeletedMax, searchTextMaxCharacters, sitesSelectedMax } from '../src/api/attributes/limits.ts';
import { FLOW_MINUTES } from '../src/api/auth/oidc-routes.ts';
import { openApiDocument } from '../src/api/openapi/document.ts';
import { ENDPOINTS } from '../src/api/resources/endpoints.ts';
import { REPORT_ATTRIBUTES } from '../src/checks/check-attributes.ts';
import { ENGINES } from '../src/checks/registry.ts';
import { PAGE_CHANGES } from '../src/domain/change.ts';
import { IMPACTS } from '../src/domain/check.ts';
import { DECISION_SCOPES, VERDICTS } from '../src/domain/decision.ts';
import { FAIL_ON } from '../src/domain/fail-on.ts';
import { HOOK_SIGNATURES } from '../src/domain/hook-signatures.ts';
import {
  CHANNEL_KINDS,
  DEFAULT_EVENTS,
  DELIVERY_STATUSES,
  NEAR_LIMIT_PERCENT,
  NOTIFICATION_EVENTS,
  OPERATOR_EVENTS,
  WORSE_REASONS,
} from '../src/domain/notifications.ts';
import { FORMER_SECRET_HOURS } from '../src/notifications/channel-secrets.ts';
import { webhookLimits } from '../src/notifications/send-webhook.ts';
import { commentMaxCharacters } from '../src/reports/definition/limits.ts';
import { TAG_MODES } from '../src/store/listing.ts';
import { KEPT_DAYS } from '../src/store/notifications/notification-deliveries.ts';
import { SHOWN_OUTCOMES } from '../src/store/reports/discovered-urls.ts';
import { ATTENTION_CHOICES } from '../src/store/reports/site-list.ts';
import { CREDIT_REASONS, REPORT_STATUSES } from '../src/store/schema.ts';

const CLIENT = join(import.meta.dirname, '..', 'packages', 'client');

/** Returns the text of `packages/client/schema.ts`. */
export function apiTypes() {
  const { components, paths } = openApiDocument(ENDPOINTS, 'http://127.0.0.1:3000');
  // The one resource that is not read through an endpoint of the table.
  const installation =
    paths['/installation'].get.responses['200'].content['application/vnd.api+json'].schema.properties.data;
  const schemas = { ...components.schemas, Installation: installation };
  const resources = Object.entries(schemas).filter(([, { properties }]) => properties?.attributes !== undefined);
  const lists = Object.entries(schemas).filter(([, { properties }]) => properties?.data?.type === 'array');
  const nameOfType = new Map();
  // `NewApiToken` is an `api_token`, too; as its list says, `ApiToken` is the usual one.
  const listed = new Set(lists.map(([, schema]) => nameOf(schema.properties.data.items)));
  for (const [name, schema] of resources) {
    const type = schema.properties.type.const;
    if (!nameOfType.has(type) || listed.has(name)) nameOfType.set(type, name);
  }
  const chosen = new Set(nameOfType.values());
  const inputs = [...inputsOf(paths, 'post', 'New', 'Attributes'), ...inputsOf(paths, 'patch', '', 'Changes')];
  return [
    '// Generated from the OpenAPI document by `npm run api-types`. Do not edit.',
    ...resources.filter(([name]) => chosen.has(name)).map(([name, schema]) => attributesOf(name, schema)),
    ...inputs.map(([, name, schema]) => `export interface ${name} ${typeOf(schema, '')}`),
    table(
      'Attributes',
      'The attributes of each type of resource.',
      [...nameOfType].map(([type, name]) => `${type}: ${name};`),
    ),
    table(
      'NewAttributes',
      'What a request that creates a resource of a type may say.',
      inputs.filter(([, name]) => name.startsWith('New')).map(([type, name]) => `${type}: ${name};`),
    ),
    table(
      'ChangedAttributes',
      'What a request that changes a resource of a type may say.',
      inputs.filter(([, name]) => !name.startsWith('New')).map(([type, name]) => `${type}: ${name};`),
    ),
    table(
      'Relationships',
      'The names of the relationships of each type of resource.',
      [...nameOfType].map(([type, name]) => `${type}: ${relationshipsOf(schemas[name])};`),
    ),
    table(
      'ListMeta',
      'What `meta` of a list of each type of resource contains besides `total` and `page`.',
      lists.map(([, schema]) => `${typeNameOf(schemas, schema)}: ${metaOf(schema)};`),
    ),
    '',
  ].join('\n\n');
}

/** Returns the type of resource, the name and the schema of the attributes in each body of a method. */
function inputsOf(paths, method, before, after) {
  return Object.values(paths).flatMap((item) => {
    const body = item[method]?.requestBody?.content['application/json'].schema.properties.data;
    // Requests that create nothing, such as `merge`, have attributes of their own.
    if (body === undefined || (method === 'post' && item.post.responses['201'] === undefined)) return [];
    const [type] = body.properties.type.enum;
    const name = type.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
    return [[type, `${before}${name}${after}`, body.properties.attributes]];
  });
}

function attributesOf(name, schema) {
  return `export interface ${name} ${typeOf(schema.properties.attributes, '')}`;
}

function table(name, description, lines) {
  return `/** ${description} */\nexport interface ${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}

function relationshipsOf({ properties }) {
  const names = Object.keys(properties.relationships?.properties ?? {});
  return names.length === 0 ? 'never' : names.map((name) => `'${name}'`).join(' | ');
}

function metaOf({ properties }) {
  const { meta } = properties;
  if (meta.$ref !== undefined) return 'object';
  const own = Object.entries(meta.properties).filter(([name]) => name !== 'total' && name !== 'page');
  return typeOf({ type: 'object', required: meta.required, properties: Object.fromEntries(own) }, '  ');
}

function typeNameOf(schemas, list) {
  return schemas[nameOf(list.properties.data.items)].properties.type.const;
}

function nameOf({ $ref }) {
  return $ref.split('/').at(-1);
}

/** Returns the TypeScript type of a JSON schema. */
function typeOf(schema, indent) {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (schema.type === 'array') return `readonly ${bracketed(typeOf(schema.items ?? {}, indent))}[]`;
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0) return recordType(schema, indent);
  if (schema.properties !== undefined) return objectType(schema, indent);
  return (
    { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[schema.type] ??
    'unknown'
  );
}

/** Returns the type of an object with names that the schema does not know. */
function recordType({ additionalProperties, patternProperties = {} }, indent) {
  const [values = additionalProperties] = Object.values(patternProperties);
  return `Readonly<Record<string, ${typeof values === 'object' ? typeOf(values, indent) : 'unknown'}>>`;
}

function objectType({ properties, required = [] }, indent) {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const description =
      schema.description === undefined ? '' : `${indent}  /** ${schema.description.replaceAll('*/', '* /')} */\n`;
    return `${description}${indent}  readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, `${indent}  `)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function bracketed(type) {
  return /[ |]/.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

/** The form fields of values that have a notation in requests. */
const FIELDS = {
  url: 'url',
  urls: 'lines',
  inclusions: 'lines',
  exclusions: 'lines',
  tags: 'text',
  selector: 'text',
  device_id: 'device',
  standard: 'choice',
  consent: 'choice',
  journeys: 'steps',
};

/** Returns the text of `packages/client/report-attributes.ts`. */
export function reportAttributes() {
  const attributes = Object.entries(REPORT_ATTRIBUTES).map(([name, attribute]) => {
    const { label, notation, default: preset, isPro = false, creditsPerPage = 0 } = attribute;
    const field = notation === undefined ? { boolean: 'flag', number: 'number' }[typeof preset] : FIELDS[notation];
    return `  ${name}: ${objectOf({ label, field, default: preset, isPro, creditsPerPage })},`;
  });
  const checks = ENGINES.map(({ kind, title }) => `  ${kind}: ${objectOf({ title })},`);
  return [
    '// Generated from the tables of attributes and engines by `npm run api-types`. Do not edit.',
    '/** The settings of a report by their names in the API: for forms, with the defaults of the API. */',
    `export const REPORT_ATTRIBUTES = {\n${attributes.join('\n')}\n} as const;\n`,
    '/** The kinds of checks. */',
    `export const CHECKS = {\n${checks.join('\n')}\n} as const;\n`,
    '/** In display order. */',
    `export const CHECK_KINDS = [${ENGINES.map(({ kind }) => literal(kind)).join(', ')}] as const;\n`,
  ].join('\n');
}

/** Returns the text of `packages/client/values.ts`. */
export function values() {
  const list = (about, name, of) =>
    `/** ${about} */\nexport const ${name} = [${of.map(literal).join(', ')}] as const;\n`;
  const limits = {
    passwordMinCharacters: PASSWORD_CHARACTERS.min,
    webhookResponseSeconds: webhookLimits.headersTimeoutMs / 1_000,
    nearLimitPercent: NEAR_LIMIT_PERCENT,
    deliveryKeptDays: KEPT_DAYS,
    formerSecretHours: FORMER_SECRET_HOURS,
    providerSignInMinutes: FLOW_MINUTES,
    searchTextMaxCharacters,
    sitesSelectedMax,
    reportsDeletedMax,
    mutingCommentMaxCharacters: commentMaxCharacters,
  };
  return [
    '// Generated from the tables of the service by `npm run api-types`. Do not edit.',
    list('What can make a run of a schedule fail.', 'FAIL_ON', FAIL_ON),
    list('How calls to a deploy hook can be signed.', 'HOOK_SIGNATURES', HOOK_SIGNATURES),
    list('The kinds of notification channels.', 'CHANNEL_KINDS', CHANNEL_KINDS),
    list('What a channel can be notified of.', 'NOTIFICATION_EVENTS', NOTIFICATION_EVENTS),
    list('The events of a new channel.', 'DEFAULT_EVENTS', DEFAULT_EVENTS),
    list('What only operators are notified of.', 'OPERATOR_EVENTS', OPERATOR_EVENTS),
    list('The statuses of deliveries.', 'DELIVERY_STATUSES', DELIVERY_STATUSES),
    list('How a report of a schedule can be worse than the previous report.', 'WORSE_REASONS', WORSE_REASONS),
    list('The outcomes of URLs that the spider found, as the API shows them.', 'SHOWN_OUTCOMES', SHOWN_OUTCOMES),
    list('The statuses of reports.', 'REPORT_STATUSES', REPORT_STATUSES),
    list('The impacts of accessibility issues, the worst first.', 'IMPACTS', IMPACTS.toReversed()),
    list('How pages differ between two reports.', 'PAGE_CHANGES', PAGE_CHANGES),
    list('How lists combine several tags in a filter.', 'TAG_MODES', TAG_MODES),
    list('What sites are filtered by.', 'ATTENTION_CHOICES', ATTENTION_CHOICES),
    list('Why credits changed.', 'CREDIT_REASONS', CREDIT_REASONS),
    list('What people decide about issues.', 'VERDICTS', VERDICTS),
    list('What a decision applies to, the most specific first.', 'DECISION_SCOPES', DECISION_SCOPES),
    '/** Limits that people should know before they meet them. */',
    `export const LIMITS = ${objectOf(limits)} as const;\n`,
  ].join('\n');
}

function objectOf(values) {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? literal(value) : JSON.stringify(value)}`,
  );
  return `{ ${pairs.join(', ')} }`;
}

if (import.meta.main) {
  writeFileSync(join(CLIENT, 'schema.ts'), apiTypes());
  writeFileSync(join(CLIENT, 'report-attributes.ts'), reportAttributes());
  writeFileSync(join(CLIENT, 'values.ts'), values());
}
