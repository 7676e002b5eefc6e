/** Serves a static site from its own process, so that the measured code does not delay it. */
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestSite } from '../test/helpers/test-site.ts';

const root = mkdtempSync(join(tmpdir(), 'sitewarden-bench-site-'));
for (const [index, directory] of process.argv.slice(2).entries()) symlinkSync(directory, join(root, String(index)));
const site = await startTestSite({ directory: root }, { headers: { 'cache-control': 'max-age=600' } });
process.send?.(site.origin);
process.once('disconnect', () => process.exit());
