// Sets sitewarden up for development: installs everything that tests and checks require.
import { SetUpError, setUp } from './set-up.mjs';

try {
  setUp({ dev: true, web: true });
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
