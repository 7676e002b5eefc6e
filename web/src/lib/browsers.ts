/** The order matters, because most browsers name others, too. */
const BROWSERS: readonly (readonly [sign: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [sign: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];
const shownMaxCharacters = 60;

/** Returns a readable name of a browser, such as `Firefox on Linux`; otherwise the beginning of its user agent. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([sign]) => userAgent.includes(sign))?.[1]);
  if (browser === undefined) return userAgent.slice(0, shownMaxCharacters);
  return system === undefined ? browser : `${browser} on ${system}`;
}
