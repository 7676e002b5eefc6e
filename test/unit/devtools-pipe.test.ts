import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createDevtoolsPipe } from '../../src/browser/devtools-pipe.ts';
import { devtoolsAnswerMaxBytes, devtoolsEventMaxBytes } from '../../src/browser/limits.ts';

interface Pipe {
  /** What the browser writes. */
  readonly output: PassThrough;
  readonly heard: unknown[];
  send(message: object): void;
  sent(): string;
}

function pipe(): Pipe {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: unknown[] = [];
  const transport = createDevtoolsPipe(input, output);
  transport.onmessage = (message) => heard.push(message);
  transport.onclose = () => heard.push('closed');
  return { output, heard, send: transport.send, sent: () => String(input.read() ?? '') };
}

async function hears(output: PassThrough, heard: readonly unknown[], count: number): Promise<void> {
  while (output.readableLength > 0 || heard.length < count) await turn();
}

const message = (method: string, text = ''): string => JSON.stringify({ method, params: { text } });
const told = (method: string, text = ''): object => ({ method, params: { text } });

describe('the pipe to the browser', () => {
  it('returns every message once and in order, however it is split', async () => {
    const texts = ['', 'a', 'ä€😀', 'x'.repeat(1_000)];
    const bytes = Buffer.from(texts.map((text) => `${message('Network.told', text)}\0`).join(''));
    for (const size of [1, 2, 7, 64, bytes.length]) {
      const { output, heard } = pipe();
      for (let at = 0; at < bytes.length; at += size) output.write(bytes.subarray(at, at + size));
      await hears(output, heard, texts.length);
      assert.deepEqual(
        heard,
        texts.map((text) => told('Network.told', text)),
      );
    }
  });

  it('drops console messages of pages, and continues', async () => {
    const { output, heard } = pipe();
    for (const method of ['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded', 'Network.told']) {
      output.write(`${message(method, 'x'.repeat(100))}\0`);
    }
    await hears(output, heard, 1);
    assert.deepEqual(heard, [told('Network.told', 'x'.repeat(100))]);
  });

  it('drops events that are too long, and accepts longer responses', async () => {
    const { output, heard } = pipe();
    const long = 'x'.repeat(devtoolsEventMaxBytes);
    const answer = { id: 1, result: { value: long } };
    output.write(`${message('Network.told', long)}\0${JSON.stringify(answer)}\0`);
    output.write(`{"id":2,"result":"`);
    for (let size = 0; size < devtoolsAnswerMaxBytes; size += long.length) output.write(long);
    output.write(`"}\0${message('Network.told')}\0`);
    await hears(output, heard, 2);
    assert.deepEqual(heard, [answer, told('Network.told')]);
  });

  it('sends messages, each ended by a NUL, and nothing after the end', async () => {
    const { output, heard, send, sent } = pipe();
    send({ id: 1 });
    assert.equal(sent(), '{"id":1}\0');
    output.destroy();
    await hears(output, heard, 1);
    assert.deepEqual(heard, ['closed']);
  });
});
