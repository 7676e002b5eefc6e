import { CHECK_FAILURES } from './check-failures.ts';
import { CRAWL_FAILURES } from './crawl-failures.ts';
import { FETCH_FAILURES } from './fetch-failures.ts';
import { SITEMAP_FAILURES } from './sitemap-failures.ts';
import type { AnyFailure, Telling } from './telling.ts';

/** Every failure that is stored, by its code, with the sentence that is made of its parameters where it is shown. */
export const FAILURES = {
  ...FETCH_FAILURES,
  ...SITEMAP_FAILURES,
  ...CHECK_FAILURES,
  ...CRAWL_FAILURES,
  /** A sentence that an earlier version stored. */
  legacy: ({ text }: { readonly text: string }) => text,
};

export type FailureCode = keyof typeof FAILURES;

/**
 * The parameters whose text is not ours: of the site, or of a program that read it. What signs in to the site is hidden in
 * them, and they have no length of their own. Every other parameter is a number, a flag or one of a few words: the compiler
 * sees to that.
 */
const FOREIGN_PARAMS = ['url', 'host', 'content_type', 'text', 'waiting_for'] as const;

/** The names of parameters that may hold any text. */
type TextParam<Params> = {
  [Name in keyof Params]: string extends Params[Name] ? Name : never;
}[keyof Params];
type Declared<Params> = TextParam<Params> extends (typeof FOREIGN_PARAMS)[number] ? Params : never;
type ParamsOf<Code extends FailureCode> = (typeof FAILURES)[Code] extends () => string
  ? Readonly<Record<string, never>>
  : Declared<Parameters<(typeof FAILURES)[Code]>[0]>;

/** A failure as it is passed on and stored. */
export type Failure = {
  [Code in FailureCode]: { readonly code: Code; readonly params: ParamsOf<Code> };
}[FailureCode];

/** The sentence of a failure, in the words of the API unless others are given. */
export function sentenceOf(failure: AnyFailure, nameOf: Telling['nameOf'] = (attribute) => attribute): string {
  const sentences: Readonly<Record<string, ((params: never, telling: Telling) => string) | undefined>> = FAILURES;
  const telling: Telling = { nameOf, tell: (reason) => sentenceOf(reason, nameOf) };
  return sentences[failure.code]?.(failure.params as never, telling) ?? failure.code;
}

/** The code that is shown beside the sentence: of several failures, that of the first. */
export function codeOf(failure: Failure | null): string | null {
  return (failure?.code === 'several' ? failure.params.failures[0]?.code : failure?.code) ?? null;
}

/** The same with a full stop, for readers who find it by itself; null for no failure. */
export function fullSentenceOf(failure: AnyFailure | null, nameOf?: Telling['nameOf']): string | null {
  if (failure === null) return null;
  const sentence = sentenceOf(failure, nameOf);
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** A copy of failures or notes with every text that is not ours changed, also in the reasons that it names. */
export function mapForeignText<Coded extends object>(coded: Coded, change: (text: string) => string): Coded {
  const foreign: readonly string[] = FOREIGN_PARAMS;
  return JSON.parse(
    JSON.stringify(coded, (name, value: unknown) =>
      typeof value === 'string' && foreign.includes(name) ? change(value) : value,
    ),
  );
}
