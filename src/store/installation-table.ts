import type { Generated } from 'kysely';

/** The state of the installation, in one row. */
export interface InstallationTable {
  is_only: Generated<boolean>;
  /** Since when schedules, notifications and work rest; null while they run. */
  paused_at: Date | null;
  /** When the last complete scheduled backup was begun. */
  backup_at: Date | null;
  /** When the last attempt failed since then. */
  backup_failed_at: Date | null;
  backup_error: string | null;
}
