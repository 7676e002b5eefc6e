import { type Problem, RequestError } from '../api/jsonapi/errors.ts';
import { AppError } from '../platform/errors.ts';
import { ATTRIBUTE_OPTIONS } from './attribute-options.ts';

/** What the attributes of a report are called on the command line of `check`. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['starting_url', 'The URL'],
  ...[...ATTRIBUTE_OPTIONS].map(([name, { long }]) => [name, long ?? name] as const),
  ['basic_auth', '--basic-auth'],
  ['headers', '--header'],
  ['cookies', '--cookie'],
]);

/** What the user knows an attribute as. */
export function optionName(attribute: string): string {
  return OPTIONS.get(attribute) ?? attribute;
}

/** What is wrong with the attributes that were made of options, as what is wrong with the options: one line each. */
export function asUsageError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new AppError('invalid_usage', error.problems.map(asOptionProblem).join('\n'), { cause: error });
}

/** "Max pages must be …" as "--max-pages must be …". */
function asOptionProblem({ detail, source, toldWith }: Problem): string {
  const path = source !== undefined && 'pointer' in source ? source.pointer.split('/').slice(3) : [];
  const [attribute = '', ...parts] = path.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const option = OPTIONS.get(attribute);
  if (option === undefined || toldWith === undefined) return `${detail}.`;
  return `${[option, ...parts].join(' ')} ${toldWith(optionName)}.`;
}
