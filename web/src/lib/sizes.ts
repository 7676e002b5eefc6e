const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size with two digits or more: `0 bytes`, `4.2 kB`, `120 MB`. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${unit === 0 && value === 1 ? 'byte' : UNITS[unit]}`;
}

/** Formats a length of time: `0.4 s`, `12 s`, `5 min`, `3 h`, `2 days`. */
export function span(seconds: number): string {
  if (seconds === 0) return '0 s';
  if (seconds < 9.95) return `${Math.max(seconds, 0.1).toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
