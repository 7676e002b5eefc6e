import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import {
  belongsTo,
  countsBy,
  criteriaNames,
  criteriaWords,
  measureWords,
  STANDARD_IDS,
} from '../../packages/client/standards.ts';
import { OPTIONAL_RULES, rulesBeyondDefault, testedTags } from '../../src/checks/a11y/optional-rules.ts';
import { scopeOf } from '../../src/exports/standard-criteria.ts';

interface AxeRule {
  readonly id: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
}
const axe: { readonly _audit: { readonly rules: readonly AxeRule[]; readonly tagExclude: readonly string[] } } =
  createRequire(import.meta.url)('axe-core');
const { rules, tagExclude } = axe._audit;

const idsOf = (some: readonly AxeRule[]): string[] => some.map(({ id }) => id).toSorted();

test('axe turns the same rules off by default', () => {
  const off = rules.filter(
    ({ enabled, tags }) => (!enabled || tags.some((tag) => tagExclude.includes(tag))) && !tags.includes('deprecated'),
  );
  assert.deepEqual(Object.keys(OPTIONAL_RULES).toSorted(), idsOf(off));
  for (const { id, tags } of off) assert.deepEqual(OPTIONAL_RULES[id], tags, id);
});

test('every rule of axe names a standard, or is a best practice', () => {
  const tester = { standard: 'trusted-tester-5', best_practices: false } as const;
  for (const { id, tags } of rules) {
    assert.equal(countsBy({ standard: null, best_practices: false }, tags), true);
    assert.equal(countsBy(tester, tags), tags.includes('TTv5'), id);
    assert.notEqual(criteriaWords(tags, null), '', id);
  }
});

test('topics of HTML messages belong to no standard, so these issues always count', () => {
  const file = new URL('../fixtures/html-message-tags.json', import.meta.url);
  const topics: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(file, 'utf8'));
  for (const tag of new Set(Object.values(topics).flat())) {
    for (const standard of STANDARD_IDS) assert.ok(countsBy({ standard, best_practices: false }, [tag]), tag);
  }
});

test('each standard has the rules that axe names for it', () => {
  const tagged = (...wanted: readonly string[]) =>
    idsOf(rules.filter(({ tags }) => wanted.some((tag) => tags.includes(tag))));
  const members = (standard: string) => idsOf(rules.filter(({ tags }) => belongsTo(standard, tags)));
  assert.deepEqual(members('wcag20-a'), tagged('wcag2a'));
  assert.deepEqual(members('wcag21-aa'), tagged('wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'));
  assert.deepEqual(
    members('wcag22-aaa'),
    idsOf(rules.filter(({ tags }) => tags.some((tag) => /^wcag2\d?a{1,3}$/.test(tag)))),
  );
  assert.deepEqual(members('en-301-549'), tagged('EN-301-549'));
  assert.deepEqual(members('rgaa-4'), tagged('RGAAv4'));
  assert.deepEqual(members('trusted-tester-5'), tagged('TTv5'));
  assert.deepEqual(members('section-508'), tagged('section508', 'wcag2a', 'wcag2aa'));
});

test('each version and level of WCAG includes those before it', () => {
  for (const [index, standard] of STANDARD_IDS.entries()) {
    if (!standard.startsWith('wcag')) continue;
    for (const earlier of STANDARD_IDS.slice(0, index)) {
      if (earlier.split('-')[1]?.length === standard.split('-')[1]?.length) {
        for (const { id, tags } of rules) assert.ok(!belongsTo(earlier, tags) || belongsTo(standard, tags), id);
      }
    }
  }
});

test('a standard runs the rules that it needs', () => {
  assert.deepEqual(rulesBeyondDefault(null), []);
  assert.deepEqual(rulesBeyondDefault('wcag20-aa'), ['p-as-heading', 'table-fake-caption', 'td-has-header']);
  assert.ok(rulesBeyondDefault('wcag21-aa').includes('css-orientation-lock'));
  assert.ok(!rulesBeyondDefault('en-301-549').includes('target-size'));
  assert.ok(rulesBeyondDefault('wcag22-aa').includes('target-size'));
  assert.ok(rulesBeyondDefault('wcag20-aaa').includes('color-contrast-enhanced'));
  assert.ok(rulesBeyondDefault('rgaa-4').includes('focus-order-semantics'));
});

test('criteria are named in the words of the standard', () => {
  const contrast = rules.find(({ id }) => id === 'color-contrast')?.tags ?? [];
  assert.equal(criteriaWords(contrast, null), 'WCAG 1.4.3');
  assert.equal(criteriaWords(contrast, 'wcag21-aa'), 'WCAG 1.4.3');
  assert.equal(criteriaWords(contrast, 'en-301-549'), 'EN 9.1.4.3');
  assert.equal(criteriaWords(contrast, 'rgaa-4'), 'RGAA 3.2.1');
  assert.equal(criteriaWords(contrast, 'trusted-tester-5'), 'Trusted Tester 13.c');
  assert.equal(criteriaWords(['wcag2a', 'wcag111', 'wcag412'], null), 'WCAG 1.1.1, 4.1.2');
  assert.equal(criteriaWords(['cat.aria', 'best-practice'], 'rgaa-4'), 'best practice');
  assert.equal(criteriaWords(['image'], null), '');
  assert.equal(measureWords({ standard: 'wcag22-aa', best_practices: true }), 'WCAG 2.2 AA and best practices');
});

test('the criteria with rules that run are known', () => {
  const criteriaIn = (tags: readonly string[]) =>
    [...new Set(tags.filter((tag) => /^wcag\d{3,4}$/.test(tag)))].toSorted();
  for (const standard of [null, ...STANDARD_IDS]) {
    const beyond = rulesBeyondDefault(standard);
    const run = rules.filter(
      ({ id, enabled, tags }) => beyond.includes(id) || (enabled && !tags.some((tag) => tagExclude.includes(tag))),
    );
    assert.deepEqual(criteriaIn(testedTags(standard)), criteriaIn(run.flatMap(({ tags }) => tags)), standard ?? 'none');
  }
});

test('rules of EN 301 549 name the same criteria as in WCAG', () => {
  for (const { id, tags } of rules.filter((rule) => belongsTo('en-301-549', rule.tags))) {
    const numbers = (standard: string) =>
      criteriaNames(tags, standard).map((name) => name.replace(/^(?:WCAG |EN 9\.)/, ''));
    assert.deepEqual(numbers('en-301-549').toSorted(), numbers('wcag21-aa').toSorted(), id);
  }
});

test('each criterion of a standard has an address of its own', () => {
  for (const standard of STANDARD_IDS) {
    const { criteria } = scopeOf(standard);
    assert.equal(new Set(criteria.map(({ url }) => url)).size, criteria.length, standard);
    for (const { url } of criteria) assert.match(url, /^https:\/\/www\.w3\.org\/TR\/WCAG2[012]\/#[a-z][a-z\d-]+$/);
  }
});
