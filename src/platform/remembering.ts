/** Returns a function that makes a value for each key once, and forgets those that were not asked for lately. */
export function remembering<Value, More extends unknown[]>(
  max: number,
  make: (key: string, ...more: More) => Value,
): (key: string, ...more: More) => Value {
  const known = new Map<string, { readonly value: Value }>();
  return (key, ...more) => {
    const entry = known.get(key) ?? { value: make(key, ...more) };
    known.delete(key);
    known.set(key, entry);
    dropOldest(known, max);
    return entry.value;
  };
}

/** Deletes the entries that were set first until at most `max` are left. */
export function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
