import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { countKeptOtherwise } from '../store/kept-secrets.ts';
import { countSealedOtherwise } from '../store/site-access.ts';

/**
 * Looks whether what reports and schedules sign in with, and the addresses of deploy hooks and invitations, can be read.
 * @param head with what everything begins that this installation can read
 * @returns where the key is
 * @throws Error with the remedy
 */
export async function examineSecrets(
  db: Database,
  head: Buffer,
  { secretKey }: Pick<Config, 'secretKey'>,
): Promise<string> {
  const [signIns, addresses] = [await countSealedOtherwise(db, head), await countKeptOtherwise(db, head)];
  const source = secretKey === null ? 'the key in the data directory' : 'SITEWARDEN_SECRET_KEY';
  if (signIns + addresses === 0) return `encrypted with ${source}`;
  const faults = [
    ...(signIns === 0 ? [] : [`${signIns} reports and schedules cannot sign in to their sites`]),
    ...(addresses === 0 ? [] : [`${addresses} addresses of deploy hooks and invitations cannot be shown`]),
  ];
  const remedies = [
    'Set SITEWARDEN_SECRET_KEY to the key that was used',
    ...(signIns === 0 ? [] : ['enter the credentials again']),
    ...(addresses === 0 ? [] : ['create these schedules and guest accounts again']),
  ];
  throw new Error(`${faults.join(' and ')}: not encrypted with ${source}. ${remedies.join(', or ')}`);
}
