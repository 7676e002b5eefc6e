/** Splits a comma-separated list into trimmed items, without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
