/** Returns a function that creates a value for each key once, and discards values that were not requested recently. */
export function remembering<Value, More extends unknown[]>(
  max: number,
  make: (key: string, ...more: More) => Value,
): (key: string, ...more: More) => Value {
  const known = new Map<string, { readonly value: Value }>();
  return (key, ...more) => {
    const entry = known.get(key) ?? { value: make(key, ...more) };
    known.delete(key);
    known.set(key, entry);
    for (const oldest of known.keys()) {
      if (known.size <= max) break;
      known.delete(oldest);
    }
    return entry.value;
  };
}

/** A map that holds a limited number of bytes. */
export interface ByteBoundedMap<Value> {
  get(key: string): Value | undefined;
  /** Sets an entry, as the newest, and deletes the oldest entries while their total size exceeds the limit. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
}

/** @param maxBytes the sum of the sizes that `set` is given */
export function createByteBoundedMap<Value>(maxBytes: number): ByteBoundedMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let totalBytes = 0;
  const remove = (key: string): void => {
    totalBytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key);
      entries.set(key, { value, bytes });
      totalBytes += bytes;
      for (const oldest of entries.keys()) {
        if (totalBytes <= maxBytes) return;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
