/** What validators, parsers and dashboards may count differently: line ends, tabs, form feeds, characters of two code units. */
export const SPECIAL_TEXTS = [
  '\n\n',
  '\r\n\r\n',
  '\r\r',
  '\n\r\r\n',
  '\t\t',
  '\n\f',
  '\u{1f600}\n\u{1f600}e\u0301',
  '\u2028',
  'a\r',
] as const;
