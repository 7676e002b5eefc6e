/** A static site in a process of its own, so that serving it does not wait for what is measured. */
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestSite } from '../test/helpers/test-site.ts';

const root = mkdtempSync(join(tmpdir(), 'sitewarden-bench-site-'));
for (const [index, directory] of process.argv.slice(2).entries()) symlinkSync(directory, join(root, String(index)));
const site = await startTestSite({ directory: root }, { headers: { 'cache-control': 'max-age=600' } });
process.send?.(site.origin);
process.once('disconnect', () => process.exit());
