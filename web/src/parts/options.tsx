/** The options of a `select`: each has a value, a title, and optionally more. */
export function Options({
  of,
}: {
  readonly of: readonly (readonly [value: string | number, title: string, ...more: unknown[]])[];
}) {
  return of.map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));
}
