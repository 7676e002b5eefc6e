import { Readable } from 'node:stream';
import Type from 'typebox';
import type { Viewer } from '../../accounts/access.ts';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS, type ExportFormat } from '../../domain/export-formats.ts';
import { AppError, RetryLater } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { REPORT_PARAMS } from '../attributes/parameters.ts';
import { endpoint, fileOf } from '../http/endpoint.ts';
import { exportsMax, tooManyExportsRetryS } from '../http/limits.ts';
import { reportToRead } from './report.ts';
import { REPORT } from './report-resource.ts';
import { visibleReport } from './visible-report.ts';

const FORMATS = EXPORT_FORMAT_NAMES.map((name) => `\`${name}\` (${EXPORT_FORMATS[name].about})`).join(', ');

const QUERY = Type.Object({
  format: Type.Enum(EXPORT_FORMAT_NAMES, { description: `The format: ${FORMATS}.`, examples: ['json'] }),
});

export const EXPORT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/export',
    summary: 'Download a report as a file',
    description:
      'Returns the whole report in the format you choose, without muted issues. The report must have ended. If it changes or is deleted during the download, the connection is closed before the end of the file. `docs/exports.md` describes the formats.',
    additive: true,
    params: REPORT_PARAMS,
    query: QUERY,
    answers: fileOf(
      REPORT,
      EXPORT_FORMAT_NAMES.map((name) => EXPORT_FORMATS[name].mediaType.replace(/;.*/, '')),
    ),
    errors: ['report_not_finished', 'too_many_exports', 'not_printable', 'too_large_to_print'],
    subject: reportToRead,
    async answer({ call, query: { format }, subject: report }) {
      const { mediaType, extension }: ExportFormat = EXPORT_FORMATS[format];
      if (report.status !== 'finished' && report.status !== 'failed') {
        throw new AppError('report_not_finished', 'The report is still running. Export it when it has finished.');
      }
      const visible = visibleReport(report, call.viewer);
      return {
        name: `${fileNameOf(report.domain, report.finished_at ?? report.inserted_at)}.${extension}`,
        mediaType,
        open: (gone) => counted(call.viewer, () => streamOf(call.exportReport(visible, format, gone))),
      };
    },
  }),
];

/** Returns a file name made of the domain and other parts, with days for times. Domains may be IPv6 addresses. */
export function fileNameOf(domain: string, ...parts: readonly (string | Date)[]): string {
  const words = parts.map((part) => (part instanceof Date ? utcTime(part).slice(0, 10) : part));
  return [domain.replace(/[^\w.-]+/g, '-'), ...words].join('-');
}

/** The running downloads of this process, by owner. */
const running = new Map<string, number>();

/**
 * Counts a download until it is closed.
 * @throws RetryLater too_many_exports; anything that `open` throws
 */
export async function counted(viewer: Viewer, open: () => Promise<Readable>): Promise<Readable> {
  // Everyone who has a share link shares its downloads.
  const owner = viewer.link?.id ?? viewer.accountId;
  const before = running.get(owner) ?? 0;
  if (before >= exportsMax) {
    throw new RetryLater('too_many_exports', `${exportsMax} downloads are already in progress.`, tooManyExportsRetryS);
  }
  running.set(owner, before + 1);
  const end = (): void => {
    const left = (running.get(owner) ?? 1) - 1;
    if (left === 0) running.delete(owner);
    else running.set(owner, left);
  };
  try {
    return (await open()).once('close', end);
  } catch (error) {
    end();
    throw error;
  }
}

/** Returns a stream once it has its first chunk, so that an earlier error still gets an error response. */
export async function streamOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Readable> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const all = async function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return Readable.from(all(), { objectMode: false });
}
