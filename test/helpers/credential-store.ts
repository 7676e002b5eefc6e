import { type KeptSecret, keepSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { createCredentialStore } from '../../src/store/reports/credential-store.ts';

const key = newSecretKey();

/** For all parts of a test that store and read site credentials. */
export const credentialStore = createCredentialStore(createSecretBox(key));

/** The setting of a service that uses the same key. */
export const SAME_KEY = { SITEWARDEN_SECRET_KEY: key.toString('hex') };

/** A secret as that credentialStore keeps it. */
export function keptSecret(secret: string): KeptSecret {
  return keepSecret(credentialStore.box, secret);
}
