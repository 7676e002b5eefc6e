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
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as ExportFormatName[];
