import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { runHere } from './run-here.ts';

/** What a script sends to the desk. */
interface Order {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

/**
 * Runs the commands of shell scripts in this process, one at a time (`runHere`).
 * @param program is written: in scripts, it takes the place of `scripts/run.mjs`
 */
export async function openCommandDesk(program: string): Promise<{ close(): void }> {
  const server = createServer(async (request, response) => {
    const { args, environment, directory }: Order = Object(await json(request));
    const before = process.cwd();
    process.chdir(directory);
    const ended = await runHere(args, environment);
    process.chdir(before);
    response.end(JSON.stringify(ended));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, programFor(`http://127.0.0.1:${port}`));
  return { close: () => void server.close() };
}

const programFor = (desk: string): string => `import { request } from 'node:http';
const order = { args: process.argv.slice(2), environment: process.env, directory: process.cwd() };
const asking = request('${desk}', { method: 'POST' }, async (response) => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const { status, stdout, stderr } = JSON.parse(text);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
});
asking.end(JSON.stringify(order));
`;
