import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { countSealedOtherwise } from '../store/site-access.ts';

/**
 * Looks whether what reports and schedules sign in with can be read.
 * @param head with what everything begins that this installation can read
 * @returns where the key is
 * @throws Error with the remedy
 */
export async function examineSecrets(
  db: Database,
  head: Buffer,
  { secretKey }: Pick<Config, 'secretKey'>,
): Promise<string> {
  const unreadable = await countSealedOtherwise(db, head);
  const source = secretKey === null ? 'the key in the data directory' : 'SITEWARDEN_SECRET_KEY';
  if (unreadable === 0) return `encrypted with ${source}`;
  throw new Error(
    `${unreadable} reports and schedules cannot sign in to their sites: their credentials were not encrypted with ` +
      `${source}. Set SITEWARDEN_SECRET_KEY to the key that was used, or enter the credentials again`,
  );
}
