import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TemplateTags } from '../../src/page-source/markup.ts';
import { isElement, type SourceElement } from '../../src/page-source/source-element.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';

/** Which elements one change of a template fixes. */

const PAGE = 'https://example.com/a/b.html';

/** Returns the template tags of the innermost elements of a page's body, which has nothing else. */
function tags(body: string): string[] {
  const templateTags = new TemplateTags(PAGE);
  const innermost = (element: SourceElement): SourceElement[] => {
    const children = element.children.filter(isElement);
    return children.length === 0 ? [element] : children.flatMap(innermost);
  };
  const root = parseSource(`<!doctype html><head></head><body>${body}`)?.root;
  assert.ok(root !== undefined);
  return innermost(root)
    .filter(({ name }) => name !== 'head')
    .map((element) => templateTags.of(element));
}

function assertOne(body: string): void {
  assert.equal(new Set(tags(body)).size, 1, body);
}

function assertAllDiffer(body: string): void {
  const all = tags(body);
  assert.equal(new Set(all).size, all.length, body);
}

describe('a template tag', () => {
  it('is the same on all pages, regardless of its target', () => {
    assertOne('<a class="link active" aria-current="page" href="/x">1</a><a href="y" class="link">2</a>');
    assertOne('<img src="../logo.png"><img src="https://example.com/logo.png?1">');
    assertAllDiffer('<img src="logo.png"><img src="/logo.png"><img src="logo2.png">');
  });

  it('is the same in all rows of a form and of a table', () => {
    const rows = ['first_name', 'last_name', 'street'].map(
      (name, row) =>
        `<p class="row-${row}"><input type="text" name="${name}" id="f_${name}" placeholder="${name}" value="${name}">`,
    );
    assertOne(rows.join(''));
    assertOne('<ul><li><label for="a">A</label></li><li><label for="b">B</label></li></ul>');
    assertOne('<h2 id="usage">Usage</h2><h2 id="options">Options</h2>');
    assertOne('<a name="top" title="Top"></a><a name="end" title="End"></a>');
    assertOne(
      '<table><tr><td headers="x y" width="10" id="c1">1</td><td headers="z" width="25" id="c2">2</td></table>',
    );
  });

  it('differs for another part of the page, class or type', () => {
    assertAllDiffer('<div id="header"></div><div id="footer"></div><div></div>');
    assertAllDiffer('<input type="text" name="a"><input type="tel" name="a"><input type="text" name="a" class="x">');
    assertAllDiffer('<p class="col-6"></p><p class="col-12"></p>');
    assertAllDiffer('<meta name="author" content="A"><meta name="generator" content="A">');
  });

  it('of a part that is numbered is the same', () => {
    assertOne('<div id="post-17" data-id="17"></div><div id="post-4" data-id="4"></div>');
  });

  it('of a row differs in another list', () => {
    const [search, ...rest] = tags(
      '<header><p><input name="q"></p></header><main><p><input name="x"></p><p><input name="y"></p></main>',
    );
    assert.equal(new Set(rest).size, 1);
    assert.notEqual(search, rest[0]);
    assertAllDiffer(
      '<form class="search"><p><input name="q"></p></form><form class="order"><p><input name="q"></p></form>',
    );
    // Without anything of its row, what is around does not matter.
    assertOne('<header><input></header><main><input></main>');
  });

  it('reads the classes of an ancestor once, however many elements are in it', () => {
    const classes = Array.from({ length: 50_000 }, (_, index) => `class-${index}`).join(' ');
    assertOne(`<div class="${classes}">${'<input name=x>'.repeat(20_000)}</div>`);
  });
});
