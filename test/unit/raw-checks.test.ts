import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rawA11yCheck } from '../../src/checks/a11y/axe-in-page.ts';
import { rawHtmlCheck } from '../../src/checks/html/interpret.ts';
import { fc } from '../helpers/random.ts';

const text = fc.string({ maxLength: 40 });
/** As what comes from JSON. */
const PLAIN = { noNullPrototype: true };
const messages = fc.array(fc.record({ type: fc.constant('error'), message: text, extract: text }, PLAIN), {
  maxLength: 30,
});
const rules = fc.array(fc.record({ id: text, nodes: fc.array(fc.record({ html: text }, PLAIN), { maxLength: 5 }) }), {
  maxLength: 4,
});
const axeResults = fc.record(
  { url: text, violations: rules, incomplete: rules, passes: rules, inapplicable: rules },
  PLAIN,
);
const OUTCOMES = ['violations', 'incomplete', 'passes', 'inapplicable'] as const;

function nodesOf(lists: readonly { readonly nodes: readonly unknown[] }[]): unknown[] {
  return lists.flatMap(({ nodes }) => nodes);
}

describe('a raw check', () => {
  it('of the HTML validator is complete if it fits, or else has its first messages', () => {
    fc.assert(
      fc.property(messages, fc.nat(3_000), (all, room) => {
        const output = { url: 'https://example.com/', messages: all, language: 'en' };
        const bare = JSON.stringify({ ...output, messages: [] }).length;
        const { json, omitted } = rawHtmlCheck(output, bare + room);
        const kept = JSON.parse(json);
        assert.ok(json.length <= bare + room + 1);
        assert.deepEqual(kept, { ...output, messages: all.slice(0, all.length - omitted) });
        if (JSON.stringify(output).length < bare + room) assert.equal(omitted, 0);
      }),
    );
  });

  it('of axe is complete if it fits, or else has every rule with its first elements, violations preferred', () => {
    fc.assert(
      fc.property(axeResults, fc.nat(3_000), (results, room) => {
        const without = (lists: typeof results.passes) => lists.map((rule) => ({ ...rule, nodes: [] }));
        const empty = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, without(results[outcome])]));
        const bare = JSON.stringify({ ...results, ...empty }).length;
        const { json, omitted } = rawA11yCheck(results, bare + room);
        const kept: typeof results = JSON.parse(json);
        assert.ok(json.length <= bare + room);
        assert.deepEqual(Object.keys(kept), Object.keys(results));
        const all = OUTCOMES.flatMap((outcome) => nodesOf(results[outcome]));
        const left = OUTCOMES.flatMap((outcome) => nodesOf(kept[outcome]));
        assert.deepEqual(left, all.slice(0, all.length - omitted));
        for (const outcome of OUTCOMES) assert.deepEqual(without(kept[outcome]), without(results[outcome]));
        if (omitted === 0) assert.equal(json, JSON.stringify(results));
        if (JSON.stringify(results).length + all.length <= bare + room) assert.equal(omitted, 0);
      }),
    );
  });

  it('of a large page stays under the limit', () => {
    const long = 'x'.repeat(1_000);
    const output = { messages: Array.from({ length: 50 }, () => ({ type: 'error', message: long })) };
    assert.equal(rawHtmlCheck(output, 10_000).omitted, 41);
    const rule = { id: 'r', nodes: Array.from({ length: 50 }, () => ({ html: long })) };
    const results = { violations: [rule], incomplete: [], passes: [rule], inapplicable: [] };
    const raw = rawA11yCheck(results, 60_000);
    assert.equal(JSON.parse(raw.json).violations[0].nodes.length, 50);
    assert.equal(JSON.parse(raw.json).passes[0].nodes.length, 50 - raw.omitted);
    assert.ok(raw.omitted > 40 && raw.omitted < 50);
  });
});
