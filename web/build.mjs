// Builds the dashboard into web/dist. Runs under the pinned Node.js; `npm run build` runs it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { webBuildKey } from '../scripts/web-build-key.mjs';
import { PATHS } from './src/lib/paths.ts';

const dist = join(import.meta.dirname, 'dist');
/** What servers compress; smaller files do not gain. */
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/;
const compressedMinBytes = 1_024;

// A folder that is partly written must not be taken for a complete one: the key is written last.
rmSync(join(dist, 'build.json'), { force: true });
await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' });
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) compress(join(dist, name));
writeFileSync(
  join(dist, 'build.json'),
  JSON.stringify({ key: webBuildKey(join(import.meta.dirname, '..')), paths: PATHS }),
);

/** Compresses once, as well as possible, instead of at every request. */
function compress(file) {
  if (!COMPRESSIBLE.test(file)) return;
  const content = readFileSync(file);
  if (content.length < compressedMinBytes) return;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}
