// Sets sitewarden up for development: everything that its tests and checks need.
import { SetUpError, setUp } from './set-up.mjs';

try {
  setUp({ dev: true });
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
