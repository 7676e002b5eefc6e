import type { FastifyInstance } from 'fastify';
import { commandLine } from '../../platform/invocation.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type Html, html, htmlPage, sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';
import { meaningOf, statusOf } from '../jsonapi/errors.ts';
import {
  type Anchors,
  badges,
  breakable,
  codes,
  curlCommands,
  type Entry,
  joined,
  prose,
  relationshipList,
  rowsOf,
  valueList,
  variableOf,
} from './docs-parts.ts';
import { openApiDocument } from './document.ts';
import { type JsonSchema, METHODS, type OpenApiDocument, type Operation, type Response } from './openapi.ts';
import { REPORT_SCHEMA_NAME, reportJsonSchema } from './report-schema.ts';

/** What all parts of the page use. */
interface Reference {
  readonly document: OpenApiDocument;
  readonly groups: readonly Group[];
  readonly anchors: Anchors;
}

/** The operations on one kind of resource. */
interface Group {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

/** Renders the API reference as one HTML page, without scripts and external resources. */
export function docsPage(document: OpenApiDocument): string {
  const all = entriesOf(document);
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: all.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const anchors = new Map(all.map(({ method, path, operation }) => [`${method} ${path}`, operation.operationId]));
  const reference = { document, groups, anchors };
  return htmlPage(
    'sitewarden API',
    html`<a class="skip" href="#main">Skip to the reference</a>
<div class="page">
<nav aria-label="Contents">${navigation(groups)}</nav>
<main id="main">
<h1>sitewarden API</h1>
<p class="soft">Version ${String(document.info['version'])}. For programs: <a href="v1/openapi.json">OpenAPI 3.1</a>.</p>
${introduction(String(document.info['description']), reference)}
${beginning(reference)}
${errorSection(reference)}
${groups.map((group) => section(reference, group))}
</main>
</div>`,
  );
}

function entriesOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const server = (item.servers ?? document.servers)[0]?.url.replace(/\/$/, '') ?? '';
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, address: server + path, operation }];
    });
  });
}

function navigation(groups: readonly Group[]): Html {
  const links = (group: Group) =>
    group.entries.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`);
  return html`<p>Start</p>
<ul><li><a href="#beginning">Token and variables</a></li><li><a href="#errors">Errors</a></li></ul>
${groups.map((group) => html`<p>${group.name}</p><ul>${links(group)}</ul>`)}`;
}

/** Renders the Markdown of the document's description: a paragraph and a list. */
function introduction(markdown: string, { anchors }: Reference): Html {
  const [paragraph = '', ...items] = markdown.split(/\n+- /);
  return html`<p>${prose(paragraph, anchors)}</p><ul>${items.map((item) => html`<li>${prose(item, anchors)}</li>`)}</ul>`;
}

/** Explains where the token and the ids in the examples come from. */
function beginning({ groups, anchors }: Reference): Html {
  const inPaths = groups
    .flatMap(({ entries }) => entries.flatMap(({ operation }) => operation.parameters ?? []))
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description }) => [variableOf(name), description] as const);
  const token = `Your token. The operator of the service creates the first one by running, in the folder of the installation, \`${commandLine('token create --account admin@localhost')}\`. Create more with \`POST /api_tokens\`. For \`GET /share\` and \`GET /share/sites\`, the secret of a share link.`;
  const rows = [...new Map([['$API_TOKEN', token], ...inPaths])];
  return html`<section id="beginning">
<h2>Token and variables</h2>
<p>The examples are for a shell and read the token and all ids from variables. Set the variables that an example uses, then paste it.
To start, set <code>API_TOKEN</code> and <a href="#create_report">create a report</a>; then set <code>REPORT_ID</code> to
the <code>id</code> in the response and <a href="#get_report">get the report</a>, until its <code>status</code> is <code>finished</code>.</p>
<pre><code>export API_TOKEN=your-token</code></pre>
<dl>${rows.map(
    ([name, description]) => html`<div><dt><code>${name}</code></dt><dd>${prose(description, anchors)}</dd></div>`,
  )}</dl>
</section>`;
}

/** Lists the error codes with their meanings. */
function errorSection({ document, anchors }: Reference): Html {
  const { responses, schemas } = document.components;
  const known = [...new Set(Object.values(responses).flatMap((response) => response['x-codes'] ?? []))];
  known.sort((a, b) => statusOf(a) - statusOf(b));
  return html`<section id="errors">
<h2>Errors</h2>
<p>The response to an invalid request lists all problems in <code>errors</code>. Each error has:</p>
${valueList(rowsOf(schemas['Error'] ?? {}), anchors)}
<h3>Codes</h3>
<dl>${known.map(
    (code) =>
      html`<div><dt><code>${code}</code> <span class="soft">${statusOf(code)}</span></dt><dd>${prose(meaningOf(code), anchors)}</dd></div>`,
  )}</dl>
</section>`;
}

function section(reference: Reference, { name, description, entries }: Group): Html {
  const { document, anchors } = reference;
  const resource = entries.map(({ operation }) => resourceOf(document, operation)).find((found) => found !== undefined);
  const attributes = resource?.properties?.['attributes'];
  const relationships = Object.entries(resource?.properties?.['relationships']?.properties ?? {});
  return html`<section>
<h2>${name}</h2>
<p>${prose(description, anchors)}</p>
${attributes === undefined ? '' : html`<h3>Attributes</h3>${valueList(rowsOf(attributes), anchors)}`}
${relationships.length === 0 ? '' : html`<h3>Relationships</h3>${relationshipList(relationships, anchors)}`}
${entries.map((entry) => article(reference, entry))}
</section>
`;
}

const SENT_IN = { path: 'in the path', header: 'header', query: 'optional' } as const;

function article({ document, anchors }: Reference, entry: Entry): Html {
  const { method, address, operation } = entry;
  const attributes = Object.values(operation.requestBody?.content ?? {})[0]?.schema.properties?.['data']?.properties?.[
    'attributes'
  ];
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    ...parameter,
    remark: SENT_IN[parameter.in],
  }));
  const path = address.replace(/^https?:\/\/[^/]+/, '');
  const responses = Object.entries(operation.responses).map(([status, given]) => ({
    status,
    response: resolved(document, given),
  }));
  const errors = responses.filter(({ response }) => response['x-codes'] !== undefined);
  const others = responses.filter((answer) => !errors.includes(answer));
  return html`<article id="${operation.operationId}">
<h3><span class="method">${method}</span> <code>${breakable(path)}</code></h3>
<p><strong>${operation.summary}.</strong>${badges(operation)} ${prose(operation.description, anchors)}</p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${valueList(parameters, anchors)}`}
${attributes === undefined ? '' : html`<h4>Attributes to send</h4>${valueList(rowsOf(attributes), anchors)}`}
${examples(entry)}
<h4>Responses</h4>
<ul>${others.map(({ status, response }) => answer(status, response, anchors))}
${errors.length === 0 ? '' : html`<li><a href="#errors">Errors</a>: ${joined(errors.map(errorCodes), '; ')}</li>`}</ul>
</article>
`;
}

function examples(entry: Entry): Html {
  const [command = '', choosing] = curlCommands(entry);
  const plain = html`<pre><code>${command}</code></pre>`;
  if (choosing === undefined) return html`<h4>Example</h4>${plain}`;
  return html`<h4>Examples</h4>${plain}<p class="soft">Filtered:</p><pre><code>${choosing}</code></pre>`;
}

interface Answered {
  readonly status: string;
  readonly response: Response;
}

function errorCodes({ status, response }: Answered): Html {
  return html`${status} ${codes(response['x-codes'] ?? [])}`;
}

function answer(status: string, response: Response, anchors: Anchors): Html {
  const example = Object.values(response.content ?? {})[0]?.example;
  const line = html`<code>${status}</code> ${prose(response.description, anchors)}`;
  if (example === undefined) return html`<li>${line}</li>`;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<li><details><summary>${line} An example:</summary><pre><code>${text}</code></pre></details></li>`;
}

function resolved(document: OpenApiDocument, response: Operation['responses'][string]): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' };
}

/** Returns the schema of the resource in an operation's response, alone or in a list. */
function resourceOf(document: OpenApiDocument, operation: Operation): JsonSchema | undefined {
  const named = (schema: JsonSchema | undefined): JsonSchema | undefined =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const success = Object.values(operation.responses)[0];
  const content = success === undefined ? undefined : resolved(document, success).content;
  const data = named(Object.values(content ?? {})[0]?.schema)?.properties?.['data'];
  return data?.items === undefined ? named(data) : named(data.items);
}

/** The OpenAPI document and the HTML reference. */
const DOCUMENTATION_PATHS = [`${API_PREFIX}/openapi.json`, '/api/docs'] as const;

/** Paths that redirect to the reference. */
const REDIRECTED_PATHS = ['/api', '/api/docs/', API_PREFIX] as const;

/** Placeholder for the base URL of each request. Needs no escaping in JSON and HTML. */
const PLACEHOLDER = 'http://base-url.invalid';

/** Plugin that serves the documentation of the API. It is public, so it takes no token. */
export function documentation(
  server: FastifyInstance,
  { endpoints, settings }: { readonly endpoints: readonly Endpoint[]; readonly settings: AddressSettings },
  done: () => void,
): void {
  const document = once(() => openApiDocument(endpoints, settings.baseUrl ?? PLACEHOLDER));
  const json = once(() => JSON.stringify(document()).split(PLACEHOLDER));
  const page = once(() => docsPage(document()).split(PLACEHOLDER));
  server.get(DOCUMENTATION_PATHS[0], async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(json().join(baseUrlFor(request, settings)));
  });
  const schema = once(reportJsonSchema);
  server.get(`${API_PREFIX}/schemas/${REPORT_SCHEMA_NAME}`, async (_request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(JSON.stringify(schema()));
  });
  server.get(DOCUMENTATION_PATHS[1], async (request, reply) => {
    return sendPage(reply, page().join(baseUrlFor(request, settings)));
  });
  for (const path of REDIRECTED_PATHS) {
    server.get(path, async (request, reply) => {
      return reply.redirect(`${baseUrlFor(request, settings)}${DOCUMENTATION_PATHS[1]}`);
    });
  }
  done();
}

/** Creates the value on first use. Most processes never need it. */
function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
