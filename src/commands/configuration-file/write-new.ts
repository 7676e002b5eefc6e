import { writeFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../../platform/errors.ts';
import { commandLine } from '../../platform/invocation.ts';
import { CONFIGURATION_FILE } from './name.ts';
import { usage } from './usage.ts';

/**
 * Writes a new configuration file.
 * @param force whether to replace an existing file
 * @param remedy what to do if one exists
 * @returns the command that checks its sites
 * @throws AppError invalid_usage if it cannot be written
 */
export async function writeNew(path: string, text: string, force: boolean, remedy: string): Promise<string> {
  await writeFile(path, text, { flag: force ? 'w' : 'wx' }).catch((cause: unknown) => {
    if (codeOf(cause) === 'EEXIST') throw usage(`${path} already exists. ${remedy}`, cause);
    throw usage(`${path} cannot be written: ${messageOf(cause)}`, cause);
  });
  return commandLine(path === CONFIGURATION_FILE ? 'check' : `check --config ${path}`);
}
