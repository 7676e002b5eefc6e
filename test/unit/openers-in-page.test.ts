import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagOfElement } from '../../src/checks/a11y/openers-in-page.ts';

test('an element without a name is described by a whole start tag', () => {
  const tagOf = (attributes: Readonly<Record<string, string>>): string =>
    tagOfElement({
      localName: 'button',
      getAttributeNames: () => Object.keys(attributes),
      getAttribute: (name) => attributes[name] ?? null,
    });
  const style = { type: 'button', 'aria-expanded': 'false', onclick: 'open()' };
  assert.equal(tagOf(style), '<button>');
  assert.equal(tagOf({ ...style, class: 'icon  menu', id: 'm' }), '<button id="m" class="icon menu">');
  // What does not fit is left out as a whole.
  const long = 'flex items-center rounded-md border px-3 py-2 text-sm hover:bg-gray-100';
  assert.equal(tagOf({ class: long, 'data-menu': 'a "b"' }), '<button data-menu="a &quot;b&quot;">');
});
