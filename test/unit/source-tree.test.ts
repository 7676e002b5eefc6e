import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isElement, type SourceElement } from '../../src/page-source/source-element.ts';
import { countLines, linesOf } from '../../src/page-source/source-lines.ts';
import { elementAt, parseSource, type SourceTree } from '../../src/page-source/source-tree.ts';

function treeOf(text: string): SourceTree {
  const tree = parseSource(text);
  assert.ok(tree !== null);
  return tree;
}

/** Names and start offsets, with children in brackets. */
function outline(element: SourceElement): string {
  const inner = element.children.map((child) => (isElement(child) ? outline(child) : JSON.stringify(child.text)));
  return `${element.name}@${element.start}${inner.length > 0 ? `[${inner.join(' ')}]` : ''}`;
}

describe('parseSource', () => {
  it('builds the tree of a browser, with the location of each start tag', () => {
    const text = '<!DOCTYPE html><!-- c --><title>a&amp;b</title><p>x<p>y<table><td>z</table>';
    assert.equal(
      outline(treeOf(text).root),
      'html@-1[head@-1[title@25["a&b"]] body@-1[p@47["x"] p@51["y"] table@55[tbody@-1[tr@-1[td@62["z"]]]]]]',
    );
  });

  it('moves what does not belong into a table, and repeats formatting elements with their location', () => {
    assert.equal(
      outline(treeOf('<body><table><i>a<tr></table><b>1<p>2</b>3').root),
      'html@-1[head@-1 body@0[i@13["a"] table@6[tbody@-1[tr@17]] i@13[b@29["1"] p@33[b@29["2"] "3"]]]]',
    );
  });

  it('keeps attributes as they were sent, each name once, and adds the attributes of a repeated tag', () => {
    const { root } = treeOf('<html lang=en><body CLASS=a class=b><html lang=de id=x><svg viewbox=0 xlink:href=y>');
    assert.deepEqual(root.attributes, [
      { name: 'lang', value: 'en' },
      { name: 'id', value: 'x' },
    ]);
    const body = root.children.find((child) => isElement(child) && child.name === 'body') as SourceElement;
    assert.deepEqual(body.attributes, [{ name: 'class', value: 'a' }]);
    const [svg] = body.children as SourceElement[];
    assert.deepEqual(
      svg?.attributes.map(({ prefix, name }) => [prefix, name]),
      [
        [undefined, 'viewBox'],
        ['xlink', 'href'],
      ],
    );
  });

  it('reads the content of noscript as text, and of a template as its children', () => {
    const text = '<body><noscript><p></noscript><template><p></template>';
    assert.equal(outline(treeOf(text).root), 'html@-1[head@-1 body@0[noscript@6["<p>"] template@30[p@40]]]');
  });

  it('refuses documents that make more elements than they have text for', () => {
    const opened = Array.from({ length: 2_000 }, (_, index) => `<b a${index}>`).join('');
    assert.ok(parseSource(`<p>${opened}${'<p>x'.repeat(2_000)}`) === null);
    assert.ok(parseSource('<p>'.repeat(300_001)) === null);
  });

  it('parses documents that are nested or large without end', () => {
    const documents = {
      deep: ['<div>'.repeat(25_000), 25_000],
      'an attribute': [`<p a="${'x'.repeat(500_000)}">`, 1],
      attributes: [`<p ${Array.from({ length: 5_000 }, (_, index) => `a${index}`).join(' ')}>`, 1],
      tables: ['<table>'.repeat(12_500), 12_500],
      bodies: [Array.from({ length: 5_000 }, (_, index) => `<body a${index}>`).join(''), 1],
      'end tags of nothing': ['<s-x>'.repeat(25_000) + '</s-y>'.repeat(50_000), 25_000],
      'drawings ended by nothing': [`<svg>${'<g>'.repeat(25_000)}${'</h>'.repeat(50_000)}`, 25_001],
      'a formatting element across many': [`<b><p>${'<i></i>'.repeat(25_000)}</b>`, 25_003],
      'formatting elements across blocks': ['<b><div>'.repeat(12_500) + '</b>'.repeat(12_500), 25_006],
      'what does not belong into a table': [`<table>${'<i></i>'.repeat(25_000)}`, 25_001],
      empty: ['', 0],
    } as const;
    for (const [name, [text, elements]] of Object.entries(documents)) {
      assert.equal(treeOf(text).elements.length, elements, name);
    }
  });
});

describe('elementAt', () => {
  const text = '<!DOCTYPE html><body><ul id=u><li id=a>one<img id=i> two<li id=b>three</ul> after<p id=p>x</p></b> end';
  const tree = treeOf(text);
  const idAt = (part: string): string | undefined =>
    elementAt(tree, text.indexOf(part))?.attributes.find(({ name }) => name === 'id')?.value;

  it('finds the element of a start tag, an end tag and a text', () => {
    assert.deepEqual(['<ul', ' id=a', 'one', '<img', ' two', 'three', '</ul', '<p', 'x</p', '</p'].map(idAt), [
      'u',
      'a',
      'a',
      'i',
      'a',
      'b',
      'u',
      'p',
      'p',
      'p',
    ]);
    for (const part of [' after', '</b>', ' end'])
      assert.equal(elementAt(tree, text.indexOf(part))?.name, 'body', part);
  });

  it('finds nothing before the first element', () => {
    assert.equal(elementAt(tree, 3), null);
  });

  it('finds nothing after more nested elements than browsers nest', () => {
    const nameAfter = (depth: number): string | undefined => {
      const nested = treeOf(`<body>${'<span>'.repeat(depth)}${'</span>'.repeat(depth)}x`);
      return elementAt(nested, nested.text.length - 1)?.name;
    };
    assert.deepEqual([nameAfter(512), nameAfter(513)], ['body', undefined]);
  });
});

describe('linesOf', () => {
  const text = 'a\r\nb\n\rc\ttab\u2028x\u{1f600}y\r';
  const lines = linesOf(text);

  it('ends lines at CR, LF and CRLF', () => {
    assert.equal(countLines(text), 5);
    const locations = [...'abcxy'].map((character) => lines.locationOf(text.indexOf(character)));
    assert.deepEqual(
      locations.map(({ line, column }) => [line, column]),
      [
        [1, 1],
        [2, 1],
        [4, 1],
        [4, 7],
        [4, 10],
      ],
    );
  });

  it('turns every offset into a location and back, and every other location into the nearest one', () => {
    for (let offset = 0; offset <= text.length; offset += 1)
      assert.equal(lines.offsetOf(lines.locationOf(offset)), offset);
    assert.equal(lines.offsetOf({ line: 0, column: 0 }), 0);
    assert.equal(lines.offsetOf({ line: 1, column: 0 }), 0);
    assert.equal(lines.offsetOf({ line: 1, column: 99 }), 3);
    assert.equal(lines.offsetOf({ line: 9, column: 1 }), text.length);
  });
});
