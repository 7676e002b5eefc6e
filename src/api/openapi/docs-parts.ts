import { Html, html } from '../http/html-page.ts';
import type { JsonSchema, Operation, Parameter } from './openapi.ts';

/** Parts of the API reference: Markdown of descriptions, lists of attributes and parameters, and curl commands. */

/** The anchors of endpoints that texts may mention, by method and path: `GET /reports`. */
export type Anchors = ReadonlyMap<string, string>;

/** Renders text with code spans, and links endpoints that are on the page. */
export function prose(text: string, anchors: Anchors): Html {
  const pieces = text.split('`').map((piece, index) => {
    if (index % 2 === 0) return linked(piece);
    const anchor = anchors.get(piece);
    const code = html`<code>${breakable(piece)}</code>`;
    return anchor === undefined ? code : html`<a href="#${anchor}">${code}</a>`;
  });
  return joined(pieces, '');
}

/** Renders `[words](https://…)` as links. */
function linked(text: string): Html {
  return new Html(html`${text}`.text.replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2">$1</a>'));
}

/** Renders a name that may break only between its parts. */
export function breakable(name: string): Html {
  return joined(
    name.split(/(?<=\.)|(?=[/[])/).map((part) => html`${part}`),
    '<wbr>',
  );
}

export function codes(words: readonly string[]): Html {
  return joined(
    words.map((word) => html`<code>${word}</code>`),
    ', ',
  );
}

export function joined(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}

export interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Shown next to the name: `optional`. */
  readonly remark?: string;
  readonly description?: string;
  readonly 'x-pro'?: boolean;
  readonly 'x-additive'?: boolean;
}

/** Lists attributes, each followed by its nested ones: `checks.html.status.pending`, `html[].extract`. */
export function rowsOf(schema: JsonSchema, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const row = { name: prefix + name, schema: property, ...(isRequired ? {} : { remark: 'optional' }) };
    const object = objectIn(property);
    const list = property.items && objectIn(property.items);
    return [
      row,
      ...(object === undefined ? [] : rowsOf(object, `${row.name}.`)),
      ...(list === undefined ? [] : rowsOf(list, `${row.name}[].`)),
    ];
  });
}

function objectIn(schema: JsonSchema): JsonSchema | undefined {
  return [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined);
}

export function valueList(rows: readonly Row[], anchors: Anchors): Html {
  return html`<dl>${rows.map(
    ({ name, schema, remark, description = schema.description ?? '', ...marks }) => html`<div>
<dt><code>${breakable(name)}</code>${remark === undefined ? '' : html` <span class="soft">${remark}</span>`}${badges({ ...schema, ...marks })}</dt>
<dd>${prose(description, anchors)}<br><span class="soft">${describeValue(schema)}</span></dd>
</div>`,
  )}</dl>`;
}

export function relationshipList(relationships: readonly [name: string, schema: JsonSchema][], anchors: Anchors): Html {
  return html`<dl>${relationships.map(
    ([name, schema]) => html`<div>
<dt><code>${name}</code>${badges(schema)}</dt>
<dd>${prose(schema.description ?? '', anchors)}</dd>
</div>`,
  )}</dl>`;
}

export function badges(marked: { readonly 'x-pro'?: boolean; readonly 'x-additive'?: boolean }): Html {
  const pro = marked['x-pro'] === true ? html` <span class="pro">Pro</span>` : '';
  const additive = marked['x-additive'] === true ? html` <span class="additive">Additive</span>` : '';
  return html`${pro}${additive}`;
}

/** Describes the values of a schema: "whole number from 1, default 10", "string, such as "shop, autumn"". */
function describeValue(schema: JsonSchema): Html {
  const { default: preset, enum: values, examples } = schema;
  const ofDefault = preset === undefined || preset === '' ? '' : html`, default <code>${JSON.stringify(preset)}</code>`;
  const example = values === undefined ? examples?.find(isUsefulExample) : undefined;
  const ofExample = example === undefined ? '' : html`, such as <code>${JSON.stringify(example)}</code>`;
  return html`${kindOf(schema)}${ofDefault}${ofExample}`;
}

/** Whether an example shows more than the type of the value. */
function isUsefulExample(value: unknown): boolean {
  return typeof value === 'string' || (value instanceof Object && Object.keys(value).length > 0);
}

function kindOf(schema: JsonSchema): Html {
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(kindOf), ' or ');
  if (schema.enum !== undefined) return codes(schema.enum.map(String));
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items !== undefined) return html`array of ${manyOf(schema.items)}`;
  const others = schema.additionalProperties;
  if (others instanceof Object) return html`object with ${manyOf(others)} under names of your choice`;
  const from = schema.minimum === undefined ? '' : ` from ${number(schema.minimum)}`;
  const to = schema.maximum === undefined ? '' : ` to ${number(schema.maximum)}`;
  return html`${schema.type === 'integer' ? 'whole number' : (schema.type ?? 'anything')}${from}${to}`;
}

/** Describes many values: "strings", "arrays of strings". */
function manyOf(schema: JsonSchema): Html {
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(manyOf), ' or ');
  return schema.items === undefined ? html`${schema.type ?? 'value'}s` : html`arrays of ${manyOf(schema.items)}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** An operation with its method and URL. */
export interface Entry {
  readonly method: string;
  /** As in the document: `/reports/{report_id}`. */
  readonly path: string;
  /** With its server: `/api/v1/reports/{report_id}`. */
  readonly address: string;
  readonly operation: Operation;
}

/**
 * Returns curl commands for an operation, with the token and ids in variables. For lists with filters, a second command uses
 * the first filter and, if there is one, the sort order.
 */
export function curlCommands(entry: Entry): string[] {
  const path = entry.address.replace(/\{(\w+)\}/g, (_, name: string) => variableOf(name));
  const required = (entry.operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'query' && parameter.required,
  );
  const pairs = required.map(({ name, schema }) => `${name}=${schema.examples?.[0]}`);
  const url = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  const query = exampleQuery(entry.operation.parameters ?? []);
  return [curl(entry, url), ...(query === '' ? [] : [curl(entry, `${url}?${query}`)])];
}

/** Returns the shell variable for a path parameter. */
export function variableOf(parameter: string): string {
  return `$${parameter.toUpperCase()}`;
}

function curl({ method, operation }: Entry, url: string): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.example;
  const json =
    body === undefined ? [] : [`-H 'Content-Type: application/vnd.api+json'`, `-d ${quoted(JSON.stringify(body))}`];
  const token = operation.security === undefined ? ['-H "Authorization: Bearer $API_TOKEN"'] : [];
  // Without -g, curl reads brackets as a pattern.
  const options = `${url.includes('[') ? '-g ' : ''}${method === 'GET' ? '' : `-X ${method} `}`;
  return [`curl ${options}"${url}"`, ...token, ...json].join(' \\\n  ');
}

/** Returns the first filter of a list and its sort order, with their examples: `filter[url]=example.com&sort=url-asc`. */
function exampleQuery(parameters: readonly Parameter[]): string {
  const filter = parameters.find(({ name, schema }) => name.startsWith('filter[') && schema.examples !== undefined);
  const sort = parameters.find(({ name }) => name === 'sort');
  return [filter, sort]
    .flatMap((chosen) => (chosen === undefined ? [] : [`${chosen.name}=${String(chosen.schema.examples?.[0])}`]))
    .join('&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
