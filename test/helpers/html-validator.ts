import { after, before } from 'node:test';
import { createExternalVnu } from '../../src/checks/html/engine.ts';
import { createVnuServer } from '../../src/checks/html/vnu-server.ts';
import { quietLog, recordChildren } from './browser.ts';
import { sharedValidator } from './shared-parts.ts';

const timeoutMs = 60_000;

/**
 * The HTML validator for the tests of a file: the shared one, or a separate one in a file that runs alone. Call this where the
 * file's tests are declared.
 * @returns a function that validates UTF-8 text and returns the validator's JSON
 */
export function htmlValidator(): (body: string | Buffer) => Promise<Buffer> {
  let validator: ReturnType<typeof createVnuServer> | ReturnType<typeof createExternalVnu>;
  before(async () => {
    const { SITEWARDEN_VNU_URL: url } = await sharedValidator();
    validator =
      url === undefined ? createVnuServer({ children: recordChildren(), logger: quietLog }) : createExternalVnu(url);
    await validator.start();
  });
  after(() => validator.stop());
  return (body) => {
    const document = { contentType: 'text/html; charset=utf-8', body: Buffer.from(body) };
    return validator.validate(document, AbortSignal.timeout(timeoutMs));
  };
}
