/** `2,000`: the form of every number in text, except in text that programs read. */
export function formatNumber(number: number): string {
  return number.toLocaleString('en');
}

/** `1 page`, `2,000 pages`. */
export function plural(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 kB`, `2,000 MB`: a size, rounded up. */
export function sizeWords(bytes: number): string {
  const [unit, name] = bytes < 1_000_000 ? [1_000, 'kB'] : [1_000_000, 'MB'];
  return `${formatNumber(Math.ceil(bytes / unit))} ${name}`;
}

/** Returns a count of zero for each name. */
export function noneOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
