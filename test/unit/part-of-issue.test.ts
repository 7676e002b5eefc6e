import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partOf } from '../../src/issues/part-of-issue.ts';

it('a part of an issue without a list of occurrences is refused: the whole issue would count once per part', () => {
  const bytes = new Uint8Array();
  const identity = { kind: '', occurrences: bytes, clusters: bytes, traces: bytes };
  assert.throws(() => partOf({ howMany: 2, occurrences: {}, identity }, [0]), /must be a list/);
});
