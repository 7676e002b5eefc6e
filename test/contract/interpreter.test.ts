import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { AnsweredCheck } from '../../src/checking/interpret-check.ts';
import { interpretCheck } from '../../src/checking/interpret-check.ts';
import { createInterpreter } from '../../src/checking/interpreter.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';

const SECRET = 'preview-of-tomorrow';

function checkWith(messages: number, more: Partial<AnsweredCheck> = {}): AnsweredCheck {
  const output = Array.from({ length: messages }, (_, index) => {
    const message = `Attribute “a${index}-${SECRET}” not allowed on element “p” at this point.`;
    return { type: 'error', message, extract: `<p a${index}>`, lastLine: index };
  });
  const answer = Buffer.from(JSON.stringify({ messages: output }));
  const access = { ...NO_ACCESS, headers: { 'x-preview': SECRET } };
  const document = { contentType: 'text/html', body: Buffer.from('<p>') };
  return { kind: 'html', answer, url: 'http://x/', document, access, storesRaw: true, ...more };
}

describe('the output of engines is interpreted', () => {
  const interpreter = createInterpreter();
  after(() => interpreter.close());

  test('in the same way at once and, if large, in a thread', async () => {
    for (const messages of [3, 2_500]) {
      const parts = [...interpretCheck(checkWith(messages))];
      const { issues, raw } = await interpreter.interpret(checkWith(messages));
      const expected = parts.flatMap((part) => ('issues' in part ? part.issues : []));
      const plain = ({ occurrences, identity, ...issue }: (typeof issues)[number]) => ({
        ...issue,
        ...[occurrences, identity.occurrences, identity.clusters].map((bytes) => Buffer.from(bytes)),
        fingerprint: identity.kind,
      });
      assert.deepEqual(issues.map(plain), expected.map(plain));
      assert.equal(issues.length, messages);
      assert.ok(issues.every(({ message }) => !message.includes(SECRET)));
      const kept = parts.find((part) => 'raw' in part);
      const { url, messages: all } = JSON.parse(zstdDecompressSync(raw?.raw ?? '').toString());
      assert.deepEqual([url, all.length], ['http://x/', messages]);
      assert.deepEqual(Buffer.from(raw?.raw ?? ''), Buffer.from(kept?.raw.raw ?? 'missing'));
    }
  });

  test('even as a failure of the check, which says whether to retry', async () => {
    const rest = 'x'.repeat(100_000);
    const answers = [
      { json: `{"messages":[{"type":"non-document-error","message":"No. ${rest}"}]}`, permanent: true, blame: 'page' },
      { json: `{"messages":[{"type":"error"}],"rest":"${rest}"}`, permanent: false, blame: 'anybody' },
      { json: `<html>${rest}`, permanent: false, blame: 'anybody' },
    ];
    for (const { json, permanent, blame } of answers) {
      for (const text of [json, json.replace(rest, '')]) {
        const check = checkWith(0, { answer: Buffer.from(text) });
        await assert.rejects(interpreter.interpret(check), (error) => {
          assert.ok(error instanceof CheckFault);
          assert.deepEqual([error.permanent, error.blame], [permanent, blame]);
          return true;
        });
      }
    }
  });
});

test('output that requires more memory than the thread has fails for good, and alone', async (t) => {
  const interpreter = createInterpreter({ heapMaxMegabytes: 24, taskTimeoutMs: 60_000 });
  t.after(() => interpreter.close());
  const results = await Promise.allSettled(
    [1_000, 50_000, 1_000].map((messages) => interpreter.interpret(checkWith(messages))),
  );
  const told = results.map((result) => (result.status === 'fulfilled' ? result.value.issues.length : result.reason));
  const [one, failure, other] = told;
  assert.deepEqual([one, other], [1_000, 1_000]);
  assert.ok(failure instanceof CheckFault, String(failure));
  assert.equal(failure.permanent, true);
  assert.match(failure.message, /^The page has more issues than a report can hold\. /);
});

test('output that requires more time than allowed fails for good', async (t) => {
  // Not even the thread starts in a millisecond.
  const interpreter = createInterpreter({ heapMaxMegabytes: 512, taskTimeoutMs: 1 });
  t.after(() => interpreter.close());
  await assert.rejects(interpreter.interpret(checkWith(5_000)), (error) => {
    assert.ok(error instanceof CheckFault, String(error));
    assert.deepEqual([error.failure.code, error.permanent], ['interpretation_timeout', true]);
    assert.match(error.message, /within 0\.001 seconds\. /);
    return true;
  });
});

test('closing fails running and waiting interpretations', async () => {
  const interpreter = createInterpreter();
  const all = Promise.allSettled([1, 2, 3].map(() => interpreter.interpret(checkWith(5_000))));
  await interpreter.close();
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
});
