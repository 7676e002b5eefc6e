import { Gauge, type Registry } from 'prom-client';
import { inTimeOr } from '../platform/in-time.ts';
import { shareAnswer } from '../platform/share-answer.ts';
import { type BackupState, readBackupState } from '../store/backup/backup-state.ts';
import type { Database } from '../store/database.ts';

/** As in `measure-installation.ts`. */
const KEPT_MS = 5_000;
/** If the database takes longer, the other metrics are still shown. */
const TIMEOUT_MS = 3_000;

/** Shows the last scheduled backup, for alerts. @param backupDir null if there are none */
export function measureBackups(
  registry: Registry,
  db: Database,
  { backupDir }: { readonly backupDir: string | null },
): void {
  const read = shareAnswer(() => readBackupState(db), KEPT_MS);
  const gauge = (name: string, help: string, figureOf: (state: BackupState) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.remove();
        if (backupDir === null) return;
        const state = await inTimeOr(read(), TIMEOUT_MS, null);
        if (state !== null) this.set(figureOf(state));
      },
    });
  };
  const last = 'When the last complete scheduled backup started; 0 if there is none';
  gauge('sitewarden_backup_last_timestamp_seconds', last, (state) => (state.backup_at?.getTime() ?? 0) / 1_000);
  const failed = '1 if the last attempt to write a scheduled backup failed';
  gauge('sitewarden_backup_failed', failed, (state) => (state.backup_failed_at === null ? 0 : 1));
}
