/** A longer name is not a misspelling of a known one. */
const NAME_CHARACTERS_MAX = 64;
/** Maximum number of typos, in total and relative to the length: a short name with several typos is a different name. */
const TYPOS_MAX = 2;
const CHARACTERS_PER_TYPO = 3;

/**
 * Returns the known name that was probably meant by an unknown one: with one or two typos, in another style (`startingUrl`), or
 * abbreviated (`user` for `username`). Null if there is none.
 */
export function nearestName<Name extends string>(unknown: string, known: readonly Name[]): Name | null {
  const wanted = plain(unknown);
  if (unknown.length > NAME_CHARACTERS_MAX || wanted === '') return null;
  const allowed = Math.min(TYPOS_MAX, Math.floor(wanted.length / CHARACTERS_PER_TYPO));
  const ranked = known
    .map((name) => ({ name, typos: editDistance(wanted, plain(name)) }))
    .filter(({ typos }) => typos <= allowed)
    .sort((a, b) => a.typos - b.typos);
  return ranked[0]?.name ?? known.find((name) => allowed > 0 && plain(name).startsWith(wanted)) ?? null;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** Returns the number of insertions, deletions, substitutions and transpositions (Damerau-Levenshtein distance). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const edited = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      current.push(isSwapped ? Math.min(edited, (beforeLast[column - 2] ?? 0) + 1) : edited);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
