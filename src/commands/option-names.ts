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

const SIGNS_IN = '(?:basic_auth|headers|cookies)';
/** What has a slash in it, such as a URL; names beside each other or in parentheses; names that are no words. */
const PATH_OR_NAMES = new RegExp(
  `(?<!\\S)\\S*/\\S*|\\b${SIGNS_IN}(?:(?:, | and | or )${SIGNS_IN})+\\b|\\(${SIGNS_IN}\\)|\\b[a-z0-9]+(?:_[a-z0-9]+)+\\b`,
  'g',
);

/** A sentence of the service with the names that the user knows. Names that are words of the language stay words. */
export function inOptions(sentence: string): string {
  return sentence.replace(PATH_OR_NAMES, (found) =>
    found.includes('/') ? found : found.replace(/\w+/g, (name) => OPTIONS.get(name) ?? name),
  );
}

/** What is wrong with the attributes that were made of options, as what is wrong with the options: one line each. */
export function asUsageError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new AppError('invalid_usage', error.problems.map(asOptionProblem).join('\n'), { cause: error });
}

/** "Max pages must be …" as "--max-pages must be …": what stands before the title is the attribute in plain words. */
function asOptionProblem({ title, detail, source }: Problem): string {
  const path = source !== undefined && 'pointer' in source ? source.pointer.split('/').slice(3) : [];
  const [attribute = '', ...parts] = path.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const option = OPTIONS.get(attribute);
  const said = inOptions(detail.slice(detail.indexOf(` ${title}`) + 1));
  return option === undefined ? `${inOptions(detail)}.` : `${[option, ...parts].join(' ')} ${said}.`;
}
