// Builds the dashboard into web/dist. Runs under the pinned Node.js; `npm run build` runs it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { PATHS } from '../web/src/lib/paths.ts';
import { webBuildKey } from './web-build-key.mjs';

const projectDirectory = join(import.meta.dirname, '..');
const dist = join(projectDirectory, 'web', 'dist');
/** What servers compress; smaller files do not gain. */
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/;
const compressedMinBytes = 1_024;

// A folder that is partly written must not be taken for a complete one: the key is written last.
rmSync(join(dist, 'build.json'), { force: true });
await build({ configFile: join(projectDirectory, 'web', 'vite.config.ts'), logLevel: 'warn' });
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) compress(join(dist, name));
writeFileSync(join(dist, 'build.json'), JSON.stringify({ key: webBuildKey(projectDirectory), paths: PATHS }));

/** Compresses once, as well as possible, instead of at every request. */
function compress(file) {
  if (!COMPRESSIBLE.test(file)) return;
  const content = readFileSync(file);
  if (content.length < compressedMinBytes) return;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}
