import { type Secret, secretMinCharacters } from './secrets-of-access.ts';

/** Pairs of characters share places in the table of steps; no two of ASCII do. */
const PLACES = 1 << 14;

/**
 * A search for many secrets at a time, fast where there is none: it looks at every eighth character or so, as that of Wu and
 * Manber (1994) does, since a pair of characters that no secret has leaves no room for one around it.
 * @returns those of the secrets, in their order, of which the beginning or the end stands in a text
 */
export function createFinder(secrets: readonly Secret[]): (text: string) => readonly Secret[] {
  const length = secretMinCharacters;
  const owners = new Map<string, Set<Secret>>();
  for (const secret of secrets) {
    for (const part of [secret.spelling.slice(0, length), secret.spelling.slice(-length)]) {
      owners.set(part, (owners.get(part) ?? new Set()).add(secret));
    }
  }
  // How far it may go on from behind a pair: not beyond where a part would end that has the pair in it.
  const steps = new Uint8Array(PLACES).fill(length - 1);
  for (const part of owners.keys()) {
    for (let end = 2; end <= length; end += 1) {
      const place = placeOf(part, end);
      steps[place] = Math.min(steps[place] ?? 0, length - end);
    }
  }
  return (text) => {
    const found = new Set<Secret>();
    for (let end = length; end <= text.length; ) {
      const step = steps[placeOf(text, end)] ?? 0;
      if (step === 0) for (const secret of owners.get(text.slice(end - length, end)) ?? []) found.add(secret);
      end += Math.max(step, 1);
    }
    return found.size === 0 ? [] : secrets.filter((secret) => found.has(secret));
  };
}

/** The place of the pair of characters that ends before `end`. */
function placeOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 7) ^ text.charCodeAt(end - 1)) & (PLACES - 1);
}
