import { type KeptSecret, keepSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { createAccessVault } from '../../src/reports/access-vault.ts';

/** For all parts of a test that keep and read what signs in to sites. */
export const vault = createAccessVault(createSecretBox(newSecretKey()));

/** A secret as that vault keeps it. */
export function keptSecret(secret: string): KeptSecret {
  return keepSecret(vault.box, secret);
}
