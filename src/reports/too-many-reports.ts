import { RetryLater } from '../platform/errors.ts';

/** Seconds after which some of the reports that wait may have begun. */
const RETRY_AFTER_S = 60;

/** As many reports wait to be crawled as the plan allows. */
export class TooManyReports extends RetryLater {
  /** @param max how many may wait */
  constructor(max: number) {
    const reports = max === 1 ? '1 report waits' : `${max} reports wait`;
    super(
      'too_many_reports',
      `${reports} to be crawled, which is as many as the plan allows. Try again when some of them have begun.`,
      RETRY_AFTER_S,
    );
  }
}
