import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EditedPart, editedElementsOf } from '../../src/page-source/edited-element.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';

/** Which element has to be edited for an issue of another one. */

/** Returns the start tag of the element to edit for the element with the id `x`. */
function edited(body: string, part: EditedPart): string | null {
  const tree = parseSource(`<!doctype html><head></head><body>${body}`);
  const element = tree?.elements.find(({ attributes }) => attributes.some(({ value }) => value === 'x'));
  assert.ok(tree != null && element !== undefined);
  const found = editedElementsOf(tree)(element, part);
  return found === null ? null : tree.text.slice(found.start, found.startTagEnd);
}

describe('the image of an element without a name', () => {
  it('is its only content, at any depth', () => {
    assert.equal(edited('<a id=x href=/><img src=a></a>', 'image'), '<img src=a>');
    assert.equal(edited('<a id=x href=/> <span>\n<b><img src=a></b></span><!-- logo --></a>', 'image'), '<img src=a>');
    assert.equal(edited('<button id=x><svg role=img></svg></button>', 'image'), '<svg role=img>');
  });

  it('is none next to other content, or if screen readers ignore it', () => {
    for (const content of ['', '<i></i>', 'Home<img>', '<img><img>', '<b><img></b>x', '<img aria-hidden=true>'])
      assert.equal(edited(`<a id=x href=/>${content}</a>`, 'image'), null, content);
    assert.equal(edited('<a id=x href=/><b aria-hidden=true><img></b></a>', 'image'), null);
    assert.equal(edited('<a id=x href=/><img role=presentation></a>', 'image'), null);
    assert.equal(edited(`<a id=x href=/>${'<b>'.repeat(10_000)}<img>`, 'image'), null);
  });
});

describe('the surroundings of content outside of landmarks', () => {
  it('are the outermost element without landmarks', () => {
    const page = (inner: string): string =>
      `<div class=page><header></header><div class=wrapper><nav></nav><div class=body>${inner}</div></div></div>`;
    assert.equal(edited(page('<div><p id=x>'), 'surroundings'), '<div class=body>');
    assert.equal(edited(page('<p id=x></p><div role=search></div>'), 'surroundings'), '<p id=x>');
    assert.equal(edited('<p id=x>', 'surroundings'), '<p id=x>');
  });

  it('are none for an element with landmarks', () => {
    assert.equal(edited('<div id=x><main></main></div>', 'surroundings'), null);
    assert.equal(edited(`${'<div>'.repeat(20_000)}<p id=x>`, 'surroundings'), '<div>');
  });
});
