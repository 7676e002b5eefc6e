import type { Operation, Parameter } from './openapi.ts';

/** An operation with its place. */
export interface Entry {
  readonly method: string;
  /** With its server: `/api/v1/reports/{report_id}`. */
  readonly address: string;
  readonly operation: Operation;
}

/**
 * The requests of an operation as one would type them in a shell, with the token and ids in variables: for a list that can
 * be filtered, a second one that does so, in another order where that can be chosen.
 */
export function curlCommands(entry: Entry): string[] {
  const url = entry.address.replace(/\{(\w+)\}/g, (_, name: string) => variableOf(name));
  const choice = choiceIn(entry.operation.parameters ?? []);
  return [curl(entry, url), ...(choice === '' ? [] : [curl(entry, `${url}?${choice}`)])];
}

/** The shell's variable for a parameter of a path. */
export function variableOf(parameter: string): string {
  return `$${parameter.toUpperCase()}`;
}

function curl({ method, operation }: Entry, url: string): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.example;
  const json =
    body === undefined ? [] : [`-H 'Content-Type: application/vnd.api+json'`, `-d ${quoted(JSON.stringify(body))}`];
  const token = operation.security === undefined ? ['-H "Authorization: Bearer $API_TOKEN"'] : [];
  // Without -g, curl takes brackets for a pattern.
  const options = `${url.includes('[') ? '-g ' : ''}${method === 'GET' ? '' : `-X ${method} `}`;
  return [`curl ${options}"${url}"`, ...token, ...json].join(' \\\n  ');
}

/** The first filter of a list with its example, and that of its order: `filter[url]=example.com&sort=url-asc`. */
function choiceIn(parameters: readonly Parameter[]): string {
  const filter = parameters.find(({ name, schema }) => name.startsWith('filter[') && schema.examples !== undefined);
  const sort = parameters.find(({ name }) => name === 'sort');
  return [filter, sort]
    .flatMap((chosen) => (chosen === undefined ? [] : [`${chosen.name}=${String(chosen.schema.examples?.[0])}`]))
    .join('&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
