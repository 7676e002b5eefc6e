import { CHECK_FAILURES } from './check-failures.ts';
import { CRAWL_FAILURES, SITEMAP_FAILURES } from './crawl-failures.ts';
import { DELIVERY_FAILURES } from './delivery-failures.ts';
import { FETCH_FAILURES } from './fetch-failures.ts';
import { JOURNEY_FAILURES } from './journey-failures.ts';
import { LOGIN_FAILURES } from './login-failures.ts';
import { SCHEDULE_FAILURES } from './schedule-failures.ts';
import type { AnyFailure, Wording } from './wording.ts';

/** All failures that can be stored: by code, the function that writes the sentence from the parameters. */
export const FAILURES = {
  ...FETCH_FAILURES,
  ...SITEMAP_FAILURES,
  ...CHECK_FAILURES,
  ...CRAWL_FAILURES,
  ...LOGIN_FAILURES,
  ...JOURNEY_FAILURES,
  ...SCHEDULE_FAILURES,
  ...DELIVERY_FAILURES,
};

export type FailureCode = keyof typeof FAILURES;

/**
 * The parameters with foreign text, from the site or from a program that read it. Credentials are redacted in them, and their
 * length is limited. The compiler makes sure that all other parameters are numbers, flags or fixed words.
 */
const FOREIGN_PARAMS = ['url', 'host', 'content_type', 'selector', 'text', 'waiting_for'] as const;

/** The names of parameters that may hold any text. */
type TextParam<Params> = {
  [Name in keyof Params]-?: string extends Params[Name] ? Name : never;
}[keyof Params];
type Declared<Params> = TextParam<Params> extends (typeof FOREIGN_PARAMS)[number] ? Params : never;
type ParamsOf<Code extends FailureCode> = (typeof FAILURES)[Code] extends () => string
  ? Readonly<Record<string, never>>
  : Declared<Parameters<(typeof FAILURES)[Code]>[0]>;

/** A failure as it is returned and stored. */
export type Failure = {
  [Code in FailureCode]: { readonly code: Code; readonly params: ParamsOf<Code> };
}[FailureCode];

/** Returns the sentence of a failure. Attributes have their API names unless `nameOf` returns others. */
export function sentenceOf(failure: AnyFailure, nameOf: Wording['nameOf'] = (attribute) => attribute): string {
  const sentences: Readonly<Record<string, ((params: never, wording: Wording) => string) | undefined>> = FAILURES;
  const wording: Wording = { nameOf, describe: (reason) => sentenceOf(reason, nameOf) };
  return sentences[failure.code]?.(failure.params as never, wording) ?? failure.code;
}

/** Returns the code to show with the sentence: if there are several failures, the code of the first. */
export function codeOf(failure: Failure | null): string | null {
  return (failure?.code === 'several' ? failure.params.failures[0]?.code : failure?.code) ?? null;
}

/** Returns the sentence with a full stop, to be shown alone; null if there is no failure. */
export function fullSentenceOf(failure: AnyFailure | null, nameOf?: Wording['nameOf']): string | null {
  if (failure === null) return null;
  const sentence = sentenceOf(failure, nameOf);
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** Copies failures or notes and changes all foreign text in them, including text in nested reasons. */
export function mapForeignText<Coded extends object>(coded: Coded, change: (text: string) => string): Coded {
  const foreign: readonly string[] = FOREIGN_PARAMS;
  return JSON.parse(
    JSON.stringify(coded, (name, value: unknown) =>
      typeof value === 'string' && foreign.includes(name) ? change(value) : value,
    ),
  );
}
