import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { isVnuOutput, type VnuMessage } from '../../src/checks/html/vnu-output.ts';

const run = promisify(execFile);
const JAR = createRequire(import.meta.url).resolve('vnu-jar/build/dist/vnu.jar');
/** The quick compiler for all code: a third of the time for so few documents. */
const JAVA_ARGUMENTS = ['-XX:+UseSerialGC', '-Xss8m', '-XX:TieredStopAtLevel=1', '-XX:-DontCompileHugeMethods'];
const outputLimitBytes = 1 << 30;

/** The messages of one run of the validator's command line for each file, in order. */
export async function runVnuCommandLine(files: readonly string[]): Promise<readonly (readonly VnuMessage[])[]> {
  const args = [...JAVA_ARGUMENTS, '-jar', JAR, '--format', 'json', '--stdout', '--exit-zero-always'];
  const { stdout } = await run('java', [...args, ...files], { maxBuffer: outputLimitBytes });
  const output: unknown = JSON.parse(stdout);
  if (!isVnuOutput(output)) throw new Error('not the output of vnu');
  const byUrl = new Map(
    files.map((file) => [pathToFileURL(file).href.replace('file:///', 'file:/'), [] as VnuMessage[]]),
  );
  for (const message of output.messages) {
    const url = 'url' in message && typeof message.url === 'string' ? message.url : '';
    const messages = byUrl.get(url);
    if (messages === undefined) throw new Error(`a message about no file: ${JSON.stringify(message)}`);
    messages.push(message);
  }
  return [...byUrl.values()];
}
