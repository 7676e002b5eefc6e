import { shortened } from './shorten.ts';

/** Characters of a name that a message repeats. All valid names are shorter. */
const nameMaxCharacters = 100;

/** The problem with a value, for any interface: the API, the command line, a configuration file. */
export interface Fault {
  /** The name of the attribute, or, for a nested attribute, the names that lead to it. */
  readonly path: readonly string[];
  /** Worded to follow the name. */
  readonly message: Phrase;
  /** How to fix it, worded to follow a colon. */
  readonly remedy?: Phrase;
}

/** Faults by path: `max_pages`, `periodicity/every`. */
export type Faults = Map<string, Fault>;

/** A value, or all problems with the given value. */
export type Parsed<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** Returns what users of an interface call an attribute. */
export type NameOf = (attribute: string) => string;
/** A phrase that may contain names of attributes. */
export type Phrase = string | ((nameOf: NameOf) => string);

/** @param path the name of an attribute, or, for a nested attribute, the names that lead to it */
export function fault(path: string | readonly string[], message: Phrase, remedy?: Phrase): Fault {
  return { path: [path].flat(), message, ...(remedy !== undefined && { remedy }) };
}

export function phraseOf(phrase: Phrase, nameOf: NameOf = (attribute) => attribute): string {
  return typeof phrase === 'string' ? phrase : phrase(nameOf);
}

/** Returns a fault as a sentence without the name at its beginning, and without a full stop. */
export function predicateOf({ message, remedy }: Fault, nameOf?: NameOf): string {
  return phraseOf(message, nameOf) + (remedy === undefined ? '' : `: ${phraseOf(remedy, nameOf)}`);
}

/** Returns a fault as a sentence without a full stop: "Starting url has invalid format". */
export function sentenceOf(of: Fault): string {
  const words = wordsIn(of).join(' ').replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)} ${predicateOf(of)}`;
}

/** Returns the path of a fault with long names shortened: unknown names can be of any length. */
export function namesIn({ path }: Pick<Fault, 'path'>): readonly string[] {
  return path.map(shortName);
}

/** Returns the path of a fault as people say it. */
export function wordsIn({ path }: Pick<Fault, 'path'>): readonly string[] {
  return path.map((name, at) => {
    const [before, after] = [path[at - 1] ?? '', path[at + 1] ?? ''];
    if (IS_INDEX.test(name) && IN_LIST.test(before)) return String(Number(name) + 1);
    return IN_LIST.test(name) && IS_INDEX.test(after) ? name.slice(0, -1) : shortName(name);
  });
}

/** Lists whose elements people count from 1: `steps`, `0` becomes `step`, `1`. */
const IN_LIST = /^(?:steps|journeys|rules)$/;
const IS_INDEX = /^\d{1,4}$/;

export function shortName(name: string): string {
  return shortened(name, nameMaxCharacters);
}
