import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateElements } from '../../src/page-source/locate-element.ts';
import type { PageElement } from '../../src/page-source/page-element.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';

const HTML: PageElement = {
  parent: -1,
  tag: ['html'],
  equals: 1,
  withId: 0,
  named: [0, 1],
  equal: [0, 1],
  content: '',
};

test('the attributes of an element that the parser copies into each paragraph are read once', () => {
  const attributes = Array.from({ length: 50 }, (_, index) => `a${index}`).join(' ');
  const tree = parseSource(`<!DOCTYPE html><title>x</title><body><p><b ${attributes}>${'<p>x'.repeat(1_000)}`);
  assert.ok(tree !== null);
  const copies = tree.elements.filter(({ name }) => name === 'b');
  assert.equal(copies.length, 1_001);
  let reads = 0;
  const [shared] = copies.map((copy) => copy.attributes);
  assert.ok(shared !== undefined && copies.every((copy) => copy.attributes === shared));
  Object.defineProperty(shared, 'map', {
    value(...given: Parameters<typeof shared.map>) {
      reads += 1;
      return Array.prototype.map.apply(this, given);
    },
  });
  const [root] = locateElements(tree, [HTML]);
  assert.equal(root?.element?.name, 'html');
  assert.equal(reads, 1);
});
