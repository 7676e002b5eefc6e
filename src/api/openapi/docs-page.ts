import { DOCS_STYLE } from './docs-style.ts';
import { Html, html } from './html.ts';
import { type JsonSchema, METHODS, type OpenApiDocument, type Operation, type Response } from './openapi.ts';

/** An operation with its place. */
interface Entry {
  readonly method: string;
  /** With its server: `/api/v1/reports/{report_id}`. */
  readonly address: string;
  readonly operation: Operation;
}

/** The whole reference on one page, for people: no scripts, nothing loaded from anywhere. */
export function docsPage(document: OpenApiDocument): string {
  const groups = document.tags.map((tag) => ({ ...tag, entries: entriesOf(document, tag.name) }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sitewarden API</title>
<style>${new Html(DOCS_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">To the reference</a>
<div class="page">
<nav aria-label="Endpoints">${groups.map(navigationOf)}</nav>
<main id="main">
<h1>sitewarden API</h1>
<p class="soft">Version ${String(document.info['version'])}. For programs: <a href="v1/openapi.json">OpenAPI 3.1</a>.</p>
${introduction(String(document.info['description']))}
<p>The examples take the token and ids from variables of the shell, so that they work as they are after</p>
<pre><code>export API_TOKEN=a-token-of-yours REPORT_ID=an-id WEB_PAGE_ID=another</code></pre>
${groups.map((group) => section(document, group))}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

function entriesOf(document: OpenApiDocument, tag: string): Entry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const server = (item.servers ?? document.servers)[0]?.url ?? '';
      if (operation?.tags[0] !== tag) return [];
      return [{ method: method.toUpperCase(), address: server.replace(/\/$/, '') + path, operation }];
    }),
  );
}

function navigationOf({ name, entries }: Group): Html {
  const items = entries.map(
    ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  );
  return html`<p>${name}</p><ul>${items}</ul>`;
}

/** The little Markdown of the document's description: paragraphs, one list, code, and links. */
function introduction(markdown: string): Html {
  const inline = (text: string): Html =>
    new Html(
      html`${text}`.text
        .replace(/`([^`]*)`/g, '<code>$1</code>')
        .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>'),
    );
  const [paragraph = '', ...items] = markdown.split(/\n+- /);
  return html`<p>${inline(paragraph)}</p><ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
}

function section(document: OpenApiDocument, { name, description, entries }: Group): Html {
  const resource = entries.map(({ operation }) => resourceOf(document, operation)).find((found) => found !== undefined);
  const attributes = resource?.properties?.['attributes'];
  const relationships = Object.entries(resource?.properties?.['relationships']?.properties ?? {});
  return html`<section>
<h2>${name}</h2>
<p>${withCode(description)}</p>
${attributes === undefined ? '' : html`<h3>Attributes</h3>${schemaTable(rowsOf(attributes))}`}
${relationships.length === 0 ? '' : html`<h3>Relationships</h3>${relationshipTable(relationships)}`}
${entries.map((entry) => article(document, entry))}
</section>
`;
}

function article(document: OpenApiDocument, entry: Entry): Html {
  const { method, address, operation } = entry;
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const attributes = body?.schema.properties?.['data']?.properties?.['attributes'];
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    ...parameter,
    isRequired: parameter.required,
  }));
  const path = address.replace(/^https?:\/\/[^/]+/, '');
  return html`<article id="${operation.operationId}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p><strong>${operation.summary}.</strong>${badges(operation)} ${withCode(operation.description)}</p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${schemaTable(parameters)}`}
${attributes === undefined ? '' : html`<h4>Attributes to send</h4>${schemaTable(rowsOf(attributes))}`}
<h4>Example</h4>
<pre><code>${curl(entry, body?.example)}</code></pre>
<h4>Answers</h4>
<ul>${Object.entries(operation.responses).map(([status, response]) => answer(document, status, response))}</ul>
</article>
`;
}

function answer(document: OpenApiDocument, status: string, given: Operation['responses'][string]): Html {
  const response = resolved(document, given);
  const example = Object.values(response.content ?? {})[0]?.example;
  const line = html`<code>${status}</code> ${withCode(response.description)}`;
  if (example === undefined) return html`<li>${line}</li>`;
  const text = JSON.stringify(example, null, 2);
  return html`<li><details><summary>${line} An example:</summary><pre><code>${text}</code></pre></details></li>`;
}

function resolved(document: OpenApiDocument, response: Operation['responses'][string]): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' };
}

/** The schema of the resource that an operation answers with, alone or in a list. */
function resourceOf(document: OpenApiDocument, operation: Operation): JsonSchema | undefined {
  const success = Object.values(operation.responses)[0];
  const content = success === undefined ? undefined : resolved(document, success).content;
  const data = Object.values(content ?? {})[0]?.schema.properties?.['data'];
  const name = (data?.$ref ?? data?.items?.$ref)?.split('/').at(-1);
  return name === undefined ? undefined : document.components.schemas[name];
}

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** Attributes with those of objects among them in their places: `checks.html.status.pending`. */
function rowsOf(schema: JsonSchema, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const row = { name: prefix + name, schema: property, isRequired: schema.required?.includes(name) ?? false };
    const object = [property, ...(property.anyOf ?? [])].find(({ properties }) => properties !== undefined);
    return [row, ...(object === undefined ? [] : rowsOf(object, `${row.name}.`))];
  });
}

function schemaTable(rows: readonly Row[]): Html {
  return html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody>${rows.map(
    ({ name, schema, isRequired, description = schema.description ?? '', ...marks }) => html`<tr>
<th scope="row"><code>${name}</code>${isRequired ? '' : html` <span class="soft">optional</span>`}${badges({ ...schema, ...marks })}</th>
<td>${withCode(description)}<br><span class="soft">${describeValue(schema)}</span></td>
</tr>`,
  )}</tbody>
</table>`;
}

function relationshipTable(relationships: readonly [name: string, schema: JsonSchema][]): Html {
  return html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Leads to</th></tr></thead>
<tbody>${relationships.map(
    ([name, schema]) => html`<tr>
<th scope="row"><code>${name}</code>${badges(schema)}</th>
<td>${withCode(schema.description ?? '')}</td>
</tr>`,
  )}</tbody>
</table>`;
}

function badges(marked: { readonly 'x-pro'?: boolean; readonly 'x-additive'?: boolean }): Html {
  const pro = marked['x-pro'] === true ? html` <span class="pro">Pro</span>` : '';
  const additive = marked['x-additive'] === true ? html` <span class="additive">Additive</span>` : '';
  return html`${pro}${additive}`;
}

/** What a value is, in words: "whole number from 1, default 10", "string, such as "shop, autumn"". */
function describeValue(schema: JsonSchema): Html {
  const preset = schema.default;
  const other = preset === undefined || preset === '' ? '' : html`, default <code>${JSON.stringify(preset)}</code>`;
  const telling = schema.examples?.find((example) => typeof example === 'string' || isNonEmptyArray(example));
  const isListed = schema.enum !== undefined || telling === undefined;
  return html`${kindOf(schema)}${other}${isListed ? '' : html`, such as <code>${JSON.stringify(telling)}</code>`}`;
}

function isNonEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function kindOf(schema: JsonSchema): Html {
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(kindOf), ' or ');
  if (schema.enum !== undefined) return codes(schema.enum.map(String));
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items !== undefined) return html`array of ${kindOf(schema.items)}`;
  const from = schema.minimum === undefined ? '' : ` from ${schema.minimum}`;
  const to = schema.maximum === undefined ? '' : ` to ${schema.maximum}`;
  return html`${schema.type === 'integer' ? 'whole number' : (schema.type ?? 'anything')}${from}${to}`;
}

function codes(words: readonly string[]): Html {
  return joined(
    words.map((word) => html`<code>${word}</code>`),
    ', ',
  );
}

function joined(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}

function withCode(text: string): Html {
  const pieces = text.split('`');
  return new Html(
    pieces.map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`).text).join(''),
  );
}

/** The request as one would type it in a shell, with the token and ids in variables. */
function curl({ method, address, operation }: Entry, body: unknown): string {
  const url = address.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const json =
    body === undefined ? [] : [`-H 'Content-Type: application/vnd.api+json'`, `-d ${quoted(JSON.stringify(body))}`];
  const token = operation.security === undefined ? ['-H "Authorization: Bearer $API_TOKEN"'] : [];
  return [`curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`, ...token, ...json].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
