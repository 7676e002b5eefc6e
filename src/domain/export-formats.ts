/** A format of reports. */
export interface ExportFormat {
  readonly mediaType: string;
  /** The extension of file names, without the leading dot. */
  readonly extension: string;
  /** What it is for, as a part of a sentence. */
  readonly about: string;
}

/** The formats in which reports can be downloaded and written to files. The writers are in `exports/formats.ts`. */
export const EXPORT_FORMATS = {
  json: {
    mediaType: 'application/json',
    extension: 'json',
    about: 'everything in the report, for programs',
  },
  sarif: {
    mediaType: 'application/sarif+json',
    extension: 'sarif',
    about: 'every occurrence of the issues, for GitHub code scanning and other SARIF tools',
  },
  junit: {
    mediaType: 'application/xml; charset=utf-8',
    extension: 'junit.xml',
    about: 'every page as a passing or failing test, for CI servers',
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    extension: 'csv',
    about: 'every occurrence of the issues as a row, for spreadsheets',
  },
  md: {
    mediaType: 'text/markdown; charset=utf-8',
    extension: 'md',
    about: 'a summary in Markdown, for comments on pull requests',
  },
  html: {
    mediaType: 'text/html; charset=utf-8',
    extension: 'html',
    about: 'a self-contained page, for a browser, a phone or paper',
  },
  pdf: {
    mediaType: 'application/pdf',
    extension: 'pdf',
    about: 'the html format as a printed document, with bookmarks and tags for assistive technology',
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    about: 'an Excel workbook with sheets for the summary, the pages and the issues of each check',
  },
  earl: {
    mediaType: 'application/ld+json',
    extension: 'earl.jsonld',
    about:
      'what failed, needs review and is untested, as EARL for tools that combine the evaluations of several testers',
  },
  openacr: {
    mediaType: 'application/yaml',
    extension: 'openacr.yaml',
    about: 'a draft of an accessibility conformance report (VPAT), filled in as far as automated checks allow',
  },
  statement: {
    mediaType: 'text/html; charset=utf-8',
    extension: 'statement.html',
    about: 'a draft of the accessibility statement that European law requires, to be completed by people',
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

/** The formats in which the comparison of a period can be downloaded. The writers are in `exports/compared-period.ts`. */
export const COMPARISON_FORMATS = {
  csv: { ...EXPORT_FORMATS.csv, about: 'every issue type that changed as a row, for spreadsheets' },
  html: { ...EXPORT_FORMATS.html, about: 'a self-contained page, for a browser or paper' },
  md: { ...EXPORT_FORMATS.md, about: 'a summary in Markdown' },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ComparisonFormatName = keyof typeof COMPARISON_FORMATS;

export const COMPARISON_FORMAT_NAMES = Object.keys(COMPARISON_FORMATS) as ComparisonFormatName[];

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as ExportFormatName[];
