import { randomUUID } from 'node:crypto';
import { exchangeCounts } from '../../src/store/counts/shared-counts.ts';
import type { Database } from '../../src/store/database.ts';

/** Counts uses by another process, of which the processes of a test learn soon after their own first use. */
export async function useInOtherProcess(db: Database, name: string, amount: number): Promise<void> {
  await exchangeCounts(db, { process: randomUUID(), own: [{ name, amount }], replaces: false, withinS: 60 });
}
