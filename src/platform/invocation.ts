import { existsSync } from 'node:fs';

/** Only a checkout has a lock file: npm never packs it. */
const isCheckout = existsSync(new URL('../../package-lock.json', import.meta.url));
/** Elsewhere, as in the container image, `sitewarden` is on the `PATH`. */
const isDependency = existsSync(new URL('../../../../node_modules', import.meta.url));

/**
 * Returns a command line of sitewarden as its user types it: `npm start -- doctor` in a checkout, `npx sitewarden doctor` where
 * npm has installed it, else `sitewarden doctor`.
 */
export function commandLine(command: string): string {
  if (isCheckout) return `npm start -- ${command}`;
  return `${isDependency ? 'npx ' : ''}sitewarden ${command}`;
}
