import { existsSync } from 'node:fs';

/** Only a checkout has a lock file: npm never packs it. */
const isCheckout = existsSync(new URL('../../package-lock.json', import.meta.url));

/** Returns a command line of sitewarden as its user types it: `npm start -- doctor` in a checkout, `npx sitewarden doctor` as a package. */
export function commandLine(command: string): string {
  return isCheckout ? `npm start -- ${command}` : `npx sitewarden ${command}`;
}
