import { stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS, type ExportFormatName } from '../domain/export-formats.ts';
import { AppError } from '../platform/errors.ts';

/** The destination of the files of a report. */
export interface OutputPlace {
  readonly directory: string;
  /** The name of the only file; null if each file is named after its format. */
  readonly fileName: string | null;
}

/** Extensions that files of a format may have in addition to the usual one. */
const OTHER_ENDINGS: Partial<Record<ExportFormatName, readonly string[]>> = {
  sarif: ['.json'],
  earl: ['.json'],
  openacr: ['.yml'],
  html: ['.htm'],
  statement: ['.htm'],
};

/**
 * Reads `--output`. It is a file if it ends with the extension of a format and is not an existing directory; otherwise, a
 * directory.
 * @param output undefined for standard output
 * @returns null for standard output
 * @throws AppError invalid_usage if the files have no destination, the destination has no files, or one file would contain
 *   several reports
 */
export async function outputPlace(
  output: string | undefined,
  formats: readonly ExportFormatName[],
  sites: number,
): Promise<OutputPlace | null> {
  const [format, ...others] = formats;
  const isOne = others.length === 0 && sites === 1;
  if (output === undefined) {
    if (others.length > 0) throw usage('Several formats require --output, a directory for the files.');
    if (format !== undefined && sites > 1)
      throw usage('Several sites require --output, a directory with a folder for each of them.');
    return null;
  }
  if (format === undefined) throw usage(`--output requires --format: ${EXPORT_FORMAT_NAMES.join(', ')}.`);
  if (/[/\\]$/.test(output) || !(await namesFile(output))) return { directory: output, fileName: null };
  if (!isOne) {
    const many = others.length > 0 ? 'several formats' : 'several sites';
    throw usage(`--output ${output} is a single file: for ${many}, use a directory, such as --output reports.`);
  }
  if (!endingsOf(format).includes(endingOf(output))) {
    const name = `${output.slice(0, -endingOf(output).length)}.${EXPORT_FORMATS[format].extension}`;
    throw usage(`--output ${output} is not a file name for ${format}: use ${name}, or a directory.`);
  }
  return { directory: dirname(output), fileName: basename(output) };
}

async function namesFile(path: string): Promise<boolean> {
  if (!EXPORT_FORMAT_NAMES.some((format) => endingsOf(format).includes(endingOf(path)))) return false;
  const stats = await stat(path).catch(() => null);
  return stats === null || !stats.isDirectory();
}

function endingOf(path: string): string {
  return extname(path).toLowerCase();
}

function endingsOf(format: ExportFormatName): readonly string[] {
  return [extname(`report.${EXPORT_FORMATS[format].extension}`), ...(OTHER_ENDINGS[format] ?? [])];
}

function usage(problem: string): AppError {
  return new AppError('invalid_usage', problem);
}
