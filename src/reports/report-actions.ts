import type { ReportDefinition } from '../domain/report-definition.ts';
import type { SiteAccess } from '../domain/site-access.ts';

export interface NewReportInput extends ReportDefinition {
  readonly accountId: string;
  /** The schedule that has the report made, if one has. */
  readonly scheduleId?: string;
  readonly siteAccess: SiteAccess;
  /** How many reports may wait to be crawled at a time, with this one. Absent: any number. */
  readonly waitingReportsMax?: number;
}
