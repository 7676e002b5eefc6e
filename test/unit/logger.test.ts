import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../src/platform/logger.ts';

test('a repeated warning is counted, and only warnings are', ({ mock }) => {
  mock.timers.enable({ apis: ['Date'] });
  const lines: [message: string, reason: string, repeated?: number][] = [];
  const write = (line: string): void => {
    const { msg, reason, repeated } = JSON.parse(line);
    lines.push(repeated === undefined ? [msg, reason] : [msg, reason, repeated]);
  };
  const log = createLogger({ level: 'info', format: 'json' }, { write });
  for (let nth = 1; nth <= 100; nth += 1) log.warn({ reason: `${nth}` }, 'Could not save; will retry');
  log.warn({ reason: 'other' }, 'Could not claim; will retry');
  for (let nth = 1; nth <= 3; nth += 1) log.error({ reason: 'bug' }, 'It failed');
  mock.timers.tick(60_000);
  log.warn({ reason: '101' }, 'Could not save; will retry');
  log.warn({ reason: '102' }, 'Could not save; will retry');
  mock.timers.tick(60_000);
  log.warn({ reason: '103' }, 'Could not save; will retry');
  assert.deepEqual(lines, [
    ['Could not save; will retry', '1'],
    ['Could not claim; will retry', 'other'],
    ['It failed', 'bug'],
    ['It failed', 'bug'],
    ['It failed', 'bug'],
    ['Could not save; will retry', '101', 99],
    ['Could not save; will retry', '103', 1],
  ]);
});

test('an outage causes only some of the different warnings with its reason, and the next ones say how many were left out', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const lines: { msg: string; repeated?: number }[] = [];
  const log = createLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const warnAll = (): void => {
    for (let nth = 1; nth <= 20; nth += 1)
      log.warn({ reason: 'connect ECONNREFUSED' }, `Could not do task ${nth}; will retry`);
  };
  warnAll();
  warnAll();
  log.warn({ reason: 'something else' }, 'Could not do another task; will retry');
  log.error({ reason: 'connect ECONNREFUSED' }, 'Errors are never left out');
  assert.equal(lines.length, 10);
  t.mock.timers.tick(60_000);
  log.warn({ reason: 'connect ECONNREFUSED' }, 'Could not do task 20; will retry');
  assert.equal(lines.at(-1)?.repeated, 2);
});
