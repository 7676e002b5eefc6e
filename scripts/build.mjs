// Sets sitewarden up if needed and builds the dashboard, even if it has been built.
//   npm run build
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectDirectory, SetUpError, setUp } from './set-up.mjs';
import { isWebBuilt } from './web-build-key.mjs';

try {
  rmSync(join(projectDirectory, 'web', 'dist'), { recursive: true, force: true });
  setUp({ dev: false, web: true });
  if (!isWebBuilt(projectDirectory)) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
