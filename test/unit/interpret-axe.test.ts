import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AxeNode, AxeRaw, AxeRule, AxeTarget } from '../../src/checks/a11y/interpret-axe.ts';
import { interpretAxe } from '../../src/checks/a11y/interpret-axe.ts';

const PAGE = 'https://example.com/';
const FRAME = 'https://example.com/frame';
const NO_LINE = { line: null, column: null, made_by_script: false };

function node(html: string, target: AxeTarget = [html]): AxeNode {
  return { html, target, failureSummary: `Fix ${html}` };
}

function rule(id: string, nodes: readonly AxeNode[], impact: string | null = 'serious'): AxeRule {
  return { id, impact, tags: ['cat.color', 'wcag2aa'], help: `Help for ${id}`, helpUrl: `https://help/${id}`, nodes };
}

function positionsIn(orders: number[][] = []): AxeRaw['found']['positions']['violations'] {
  return orders.map((rule) => rule.map((order) => ({ order, element: -1, box: [order, 0, 1, 1] })));
}

function raw(
  parts: Partial<AxeRaw['found']['results']>,
  orders: Partial<Record<'violations' | 'incomplete', number[][]>>,
  frames: AxeRaw['frames'] = [],
): AxeRaw {
  return {
    frames,
    found: {
      results: { violations: [], incomplete: [], ...parts },
      positions: { violations: positionsIn(orders.violations), incomplete: positionsIn(orders.incomplete) },
      elements: [],
      full: null,
    },
    notes: [],
    resources: '',
    engineVersion: 'axe-core 1',
  };
}

describe('interpretAxe', () => {
  it("turns a violation into an error with all of axe's details", () => {
    const [issue, ...others] = interpretAxe(
      raw({ violations: [rule('a', [node('<b>')])] }, { violations: [[4]] }),
      PAGE,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(issue, {
      type: 'error',
      subType: null,
      message: 'Help for a',
      ruleId: 'a',
      helpUrl: 'https://help/a',
      impact: 'serious',
      tags: ['cat.color', 'wcag2aa'],
      url: PAGE,
      howMany: 1,
      occurrences: [
        { html: '<b>', target: ['<b>'], failure_summary: 'Fix <b>', place: { ...NO_LINE, box: [4, 0, 1, 1] } },
      ],
    });
  });

  it('turns incomplete results into warnings, with impact minor if axe has none', () => {
    const issues = interpretAxe(raw({ incomplete: [rule('a', [node('<b>')], null)] }, { incomplete: [[0]] }), PAGE);
    assert.deepEqual(
      issues.map(({ type, impact }) => [type, impact]),
      [['warning', 'minor']],
    );
  });

  it('lists issues by their first element, in document order', () => {
    const violations = [rule('late', [node('z')]), rule('mixed', [node('y'), node('a')])];
    const incomplete = [rule('first', [node('f')]), rule('tie', [node('t')])];
    const issues = interpretAxe(
      raw({ violations, incomplete }, { violations: [[9], [7, 2]], incomplete: [[1], [2]] }),
      PAGE,
    );
    assert.deepEqual(
      issues.map((issue) => issue.ruleId),
      ['first', 'mixed', 'tie', 'late'],
    );
    assert.deepEqual(JSON.stringify(issues[1]?.occurrences).match(/"html":"."/g), ['"html":"a"', '"html":"y"']);
  });

  it('splits the elements of a rule by document', () => {
    const nodes = [node('a'), node('b', ['#f', 'b']), node('c', ['#f', ['#host', 'c']]), node('d', ['#unknown', 'd'])];
    const frames = [{ path: ['#f'], url: FRAME }];
    const issues = interpretAxe(raw({ violations: [rule('r', nodes)] }, { violations: [[1, 5, 5, 6]] }, frames), PAGE);
    assert.deepEqual(
      issues.map(({ url, howMany }) => [url, howMany]),
      [
        [PAGE, 2],
        [FRAME, 2],
      ],
    );
  });
});
