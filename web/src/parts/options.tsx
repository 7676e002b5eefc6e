/** The options of a `select`: each a value and its title, and what else the list says of it. */
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
