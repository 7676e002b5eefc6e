import { Html, html } from '../http/html-page.ts';
import type { JsonSchema } from './openapi.ts';

/** Parts of the reference: the little Markdown of descriptions, and attributes and parameters with their values. */

/** Where the parts of the page are that a text may name, by what it names: `GET /reports`. */
export type Anchors = ReadonlyMap<string, string>;

/** Text with its code marked, and what is an endpoint of the page linked. */
export function prose(text: string, anchors: Anchors): Html {
  const pieces = text.split('`').map((piece, index) => {
    if (index % 2 === 0) return linked(piece);
    const anchor = anchors.get(piece);
    const code = html`<code>${breakable(piece)}</code>`;
    return anchor === undefined ? code : html`<a href="#${anchor}">${code}</a>`;
  });
  return joined(pieces, '');
}

/** `[words](https://…)` as links. */
function linked(text: string): Html {
  return new Html(html`${text}`.text.replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2">$1</a>'));
}

/** A name that may break where its parts meet, and nowhere else. */
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
  /** What is to be said of it beside its name: `optional`. */
  readonly remark?: string;
  readonly description?: string;
  readonly 'x-pro'?: boolean;
  readonly 'x-additive'?: boolean;
}

/** Attributes with those of objects among them in their places: `checks.html.status.pending`, `html[].extract`. */
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

/** What a value is, in words: "whole number from 1, default 10", "string, such as "shop, autumn"". */
function describeValue(schema: JsonSchema): Html {
  const preset = schema.default;
  const other = preset === undefined || preset === '' ? '' : html`, default <code>${JSON.stringify(preset)}</code>`;
  const telling = schema.examples?.find(isTelling);
  const isListed = schema.enum !== undefined || telling === undefined;
  return html`${kindOf(schema)}${other}${isListed ? '' : html`, such as <code>${JSON.stringify(telling)}</code>`}`;
}

/** Whether an example tells more than the kind of value does. */
function isTelling(value: unknown): boolean {
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

/** The kind of many values: "strings", "arrays of strings". */
function manyOf(schema: JsonSchema): Html {
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(manyOf), ' or ');
  return schema.items === undefined ? html`${schema.type ?? 'value'}s` : html`arrays of ${manyOf(schema.items)}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
