/** A format of reports. */
export interface ExportFormat {
  readonly mediaType: string;
  /** Of file names, without the leading dot. */
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
    about: "every place of the issues, for GitHub's code scanning and other readers of SARIF",
  },
  junit: {
    mediaType: 'application/xml; charset=utf-8',
    extension: 'junit.xml',
    about: 'every page as a test that passes or fails, for CI servers',
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    extension: 'csv',
    about: 'every place of the issues as a row, for spreadsheets',
  },
  md: {
    mediaType: 'text/markdown; charset=utf-8',
    extension: 'md',
    about: 'a summary in Markdown, for comments on pull requests',
  },
  html: {
    mediaType: 'text/html; charset=utf-8',
    extension: 'html',
    about: 'a page of its own without requests, for a browser, a phone or paper',
  },
  pdf: {
    mediaType: 'application/pdf',
    extension: 'pdf',
    about: 'the same as html, printed, with tags for assistive technology and bookmarks',
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    about: 'a workbook of Excel with a sheet for the summary, the pages and the issues of each check',
  },
  earl: {
    mediaType: 'application/ld+json',
    extension: 'earl.jsonld',
    about: 'what failed, cannot be told and is untested, as EARL for tools that join evaluations of several testers',
  },
  openacr: {
    mediaType: 'application/yaml',
    extension: 'openacr.yaml',
    about: 'a draft of an accessibility conformance report (VPAT), with what automated checks can tell',
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as ExportFormatName[];
