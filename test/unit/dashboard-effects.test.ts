import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import axe from 'axe-core';
import { effectOf, PEOPLE } from '../../web/src/lib/effects.ts';

const KINDS = Object.entries<string>(
  JSON.parse(readFileSync(new URL('../fixtures/html-message-tags.json', import.meta.url), 'utf8')),
);

const effectOfHtml = ([message, tags]: readonly [string, string]): string =>
  effectOf({ kind: 'html', tags: tags.split(', '), message });

test('each rule of axe says whom it hinders', () => {
  for (const { ruleId, tags } of axe.getRules()) {
    const categories = tags.filter((tag) => tag in PEOPLE);
    assert.equal(categories.length, 1, ruleId);
    assert.equal(effectOf({ kind: 'a11y', tags, message: '' }), `Affects ${PEOPLE[categories[0] ?? '']}.`);
  }
});

test('a missing alt hinders the same people, whichever check finds it', () => {
  const image = KINDS.find(([message]) => message.includes('must have an “alt” attribute'));
  assert.ok(image);
  const { tags } = axe.getRules().find(({ ruleId }) => ruleId === 'image-alt') ?? { tags: [] };
  assert.equal(effectOfHtml(image), effectOf({ kind: 'a11y', tags, message: '' }));
});

test('reasons are positive sentences, and say more than that a rule is broken if the tags allow it', () => {
  for (const kind of KINDS) assert.match(effectOfHtml(kind), /^[A-Z][^.]*\.$/);
  const of = (tags: string): string => effectOfHtml(['', tags]);
  assert.match(of('duplicate id, id'), /reach the wrong element/);
  assert.match(of('attribute, element, image, missing attribute'), /image lacks/);
  assert.match(of('other'), /invalid HTML/);
  const all = new Set(KINDS.map(effectOfHtml));
  for (const effect of all)
    assert.ok((effect.match(/\b(not|no|cannot|never|nothing|nowhere)\b/g)?.length ?? 0) < 2, effect);
});
