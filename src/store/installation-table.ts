import type { Generated } from 'kysely';

/** Tables about the installation and what it stores. */
export interface InstallationTables {
  installation: InstallationTable;
  workers: WorkerTable;
  host_claims: HostClaimTable;
  secret_key: SecretKeyTable;
  report_sizes: ReportSizeTable;
}

/** The state of the installation, in one row. */
export interface InstallationTable {
  is_only: Generated<boolean>;
  /** Since when schedules, notifications and work have been paused; null while they run. */
  paused_at: Date | null;
  /** When the last complete scheduled backup started. */
  backup_at: Date | null;
  /** When the last attempt since then failed. */
  backup_failed_at: Date | null;
  backup_error: string | null;
  /** The last migration that a process must know to use the schema; null if it must know all. */
  schema_requires: string | null;
}

/** The processes that work on reports, including some that have ended. */
interface WorkerTable {
  id: number;
  /** The name of its machine. */
  host: string;
  pid: number;
  version: string;
  command: string;
  /** The kinds of checks that it runs. */
  engines: string[];
  joined_at: Generated<Date>;
  /** Null until someone has noticed that it has ended. */
  ended_at: Date | null;
}

interface SecretKeyTable {
  is_only: Generated<true>;
  key_id: Buffer;
}

/** Filled by `reports/report-sizes.ts`. */
interface ReportSizeTable {
  report_id: string;
  results_bytes: number;
  documents_bytes: number;
  screenshots_bytes: number;
  measured_at: Generated<Date>;
}

interface HostClaimTable {
  host: string;
  claimed_by: number;
  free_at: Date | null;
}
