import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ElementPaths } from '../../src/issues/identity.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';

/** Where an element is, regardless of its text and its classes. */

/** The paths of all elements with a start tag in a body, in order, or of those with a name. */
function paths(body: string, wanted?: string): string[] {
  const tree = parseSource(`<!doctype html><html><head></head><body>${body}`);
  assert.ok(tree !== null);
  const elementPaths = new ElementPaths();
  const elements = tree.elements.slice(3).filter(({ name }) => wanted === undefined || name === wanted);
  return elements.map((element) => elementPaths.of(element));
}

const lastPath = (body: string): string => paths(body).at(-1) ?? assert.fail();

describe('the path of an element', () => {
  const path = lastPath('<div><p>One</p><p title=x>Two');

  it('stays when texts, classes and styles are edited, and when others are added next to it', () => {
    for (const edited of [
      '<div><p>Other</p><p title=x>Words',
      '<div class=new><p class=a>One</p><p title=x class="b c" style="color: red">Two',
      '<div><h2>More</h2><p>One</p><ul><li></ul><p title=x>Two',
    ]) {
      assert.equal(lastPath(edited), path, edited);
    }
  });

  it('changes with the name, an attribute, the position or an ancestor', () => {
    for (const other of [
      '<div><p>One</p><b title=x>Two',
      '<div><p>One</p><p title=y>Two',
      '<div><p>One</p><p>One</p><p title=x>Two',
      '<section><p>One</p><p title=x>Two',
      '<div><div><p>One</p><p title=x>Two',
    ]) {
      assert.notEqual(lastPath(other), path, other);
    }
  });

  it('begins at the nearest ancestor with an id', () => {
    assert.equal(lastPath('<div><div id=a><p>Text'), lastPath('<section id=a class=x><p>Other'));
    assert.equal(lastPath('<p id=b>Text'), lastPath('<ul><li><p id=b class=x>Other'));
    assert.notEqual(lastPath('<div id=a><p>'), lastPath('<div id=b><p>'));
  });

  it('of the root, the head and the body stays with any attributes', () => {
    const path = (source: string): string[] => {
      const elementPaths = new ElementPaths();
      return (parseSource(source)?.elements ?? []).map((element) => elementPaths.of(element));
    };
    const bare = path('<!doctype html><html><head></head><body>');
    assert.equal(new Set(bare).size, 3);
    assert.deepEqual(path('<!doctype html><html lang=en dir=ltr><head class=a></head><body role=main data-x=1>'), bare);
  });

  it('belongs to no other element', () => {
    const all = paths('<ul><li><p>1</p><p>2</p></li><li><p>3</p></li></ul><ul><li><p>4</p></li></ul><p>5</p>');
    assert.equal(new Set(all).size, all.length);
  });

  it('takes no longer the deeper it is, or the longer the start tags are that the parser copies', () => {
    assert.equal(new Set(paths('<div>'.repeat(10_000))).size, 10_000);
    const attributes = Array.from({ length: 10_000 }, (_, index) => `a${index}`).join(' ');
    const copied = paths(`<p><b ${attributes}></p>${'<p><i></i></p>'.repeat(2_500)}`, 'i');
    assert.equal(new Set(copied).size, 2_500);
  });
});
