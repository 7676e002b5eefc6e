import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createDevtoolsPipe, type DevtoolsPipe } from '../../src/browser/devtools-pipe.ts';
import type { DevtoolsSession } from '../../src/browser/devtools-session.ts';
import { devtoolsAnswerMaxBytes, devtoolsEventMaxBytes } from '../../src/browser/limits.ts';

interface Pipe extends Pick<DevtoolsPipe, 'openSession' | 'endSessions'> {
  /** Opens sessions to which the browser has been attached. */
  openSessions(...ids: readonly string[]): Promise<DevtoolsSession[]>;
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
  const { send, openSession, endSessions } = transport;
  const openSessions = async (...ids: readonly string[]): Promise<DevtoolsSession[]> => {
    for (const id of ids) output.write(attachment('attached', id));
    await hears(output, heard, ids.length);
    heard.length = 0;
    return ids.map(openSession);
  };
  return { output, heard, send, openSession, openSessions, endSessions, sent: () => String(input.read() ?? '') };
}

async function hears(output: PassThrough, heard: readonly unknown[], count: number): Promise<void> {
  while (output.readableLength > 0 || heard.length < count) await turn();
}

const attachment = (change: 'attached' | 'detached', sessionId: string): string =>
  `{"method":"Target.${change}${change === 'attached' ? 'To' : 'From'}Target","params":{"sessionId":"${sessionId}"},"sessionId":"C3"}\0`;
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

  it('passes the messages of sessions to them alone, without events that have no listener', async () => {
    const { output, heard, openSessions, sent } = pipe();
    const [page] = await openSessions('A1');
    assert.ok(page);
    const urls: string[] = [];
    const listener = ({ frame }: { readonly frame: { readonly url: string } }): void => void urls.push(frame.url);
    page.on('Page.frameNavigated', listener);
    const evaluated = page.send('Runtime.evaluate', { expression: '1' });
    const refused = assert.rejects(page.send('Page.enable'), /Page\.enable: not now/);
    const { id, ...command } = JSON.parse(sent().slice(0, -1));
    assert.deepEqual(command, { method: 'Runtime.evaluate', params: { expression: '1' }, sessionId: 'A1' });
    assert.ok(id > 1_000_000, 'apart from the commands of Playwright');
    const navigated = { method: 'Page.frameNavigated', params: { frame: { url: 'http://a.test/' } } };
    const messages = [
      { id, result: { result: { value: 1 } }, sessionId: 'A1' },
      { ...navigated, sessionId: 'A1' },
      { id: id + 1, error: { message: 'not now' }, sessionId: 'A1' },
      { ...navigated, sessionId: 'B2' },
    ];
    // It is dropped before it is parsed.
    output.write('{"method":"Page.loadEventFired","params":not JSON,"sessionId":"A1"}\0');
    for (const each of messages) output.write(`${JSON.stringify(each)}\0`);
    assert.deepEqual(await evaluated, { result: { value: 1 } });
    await refused;
    await hears(output, heard, 1);
    assert.deepEqual([urls, heard], [['http://a.test/'], [{ ...navigated, sessionId: 'B2' }]]);
  });

  it('rejects the commands of a session that has ended', async () => {
    const { output, heard, openSession, openSessions, endSessions } = pipe();
    const [closed, lost] = await openSessions('A1', 'B2');
    assert.ok(closed && lost);
    const [one, other] = [closed.send('Page.enable'), lost.send('Page.enable')].map((sending) =>
      assert.rejects(sending, /Page\.enable: the page has been closed/),
    );
    output.write(attachment('detached', 'A1'));
    await one;
    await assert.rejects(closed.send('Page.enable'), /has been closed/);
    endSessions();
    await other;
    // Playwright reports the id of a session later than the browser.
    output.write(`${attachment('attached', 'D4')}${attachment('detached', 'D4')}`);
    heard.length = 0;
    await hears(output, heard, 2);
    await turn();
    await assert.rejects(openSession('D4').send('Page.enable'), /Page\.enable: the page has been closed/);
  });
});
