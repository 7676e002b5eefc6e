import type { CheckKind } from '../domain/check.ts';
import type { ReportDefinition } from '../domain/report-definition.ts';

export interface NewReportInput extends ReportDefinition {
  readonly accountId: string;
  /** The schedule that has the report made, if one has. */
  readonly scheduleId?: string;
  /** The kinds of checks whose raw output is kept, too. */
  readonly storeRawChecks: readonly CheckKind[];
}
