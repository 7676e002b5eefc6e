import { SharedReport } from '../../report/shared-report.tsx';

/** The summary of a report that a share link opens. */
export function SharedReportScreen() {
  return <SharedReport />;
}
