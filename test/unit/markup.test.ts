import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownTextOf, plain, reportedElement, startTagOf } from '../../src/page-source/markup.ts';
import type { SourceElement } from '../../src/page-source/source-element.ts';

/** What of an element's markup identifies it, and what does not. */

function element(markup: string): SourceElement {
  const found = reportedElement(markup);
  assert.ok(found !== null, markup);
  return found;
}

const tag = (markup: string): string => startTagOf(element(markup));

describe('a start tag', () => {
  it('is the same in another order, with other white space and in another build', () => {
    assert.equal(tag('<p title="a  b" class="y x">'), tag('<p  class=" x y x"\ntitle="a\nb">'));
    assert.equal(
      tag('<script src="/app.3f9a2c41.js?v=1" nonce="a">'),
      tag('<script src="/app.77b0e1dd.js" nonce="b">'),
    );
    assert.equal(tag('<link href="/site-0a1b2c3d4e.css">'), tag('<link href="/site-f0e1d2c3b4.css?x">'));
    for (const [one, another] of [
      [':r1:', ':ra:'],
      ['«r1»', '«ra»'],
      ['_r_1_', '_r_1a_'],
    ]) {
      assert.equal(
        tag(`<input id=${one} aria-describedby=${one}-hint>`),
        tag(`<input id=${another} aria-describedby=${another}-hint>`),
      );
    }
    assert.equal(tag('<input type="hidden" value="1">'), tag('<input type="hidden" value="2">'));
  });

  it('differs with other names, files and choices', () => {
    assert.notEqual(tag('<img src="/DSC_00012345.jpg">'), tag('<img src="/DSC_00012346.jpg">'));
    assert.notEqual(tag('<a href="/item-3f9a2c41">'), tag('<a href="/item-77b0e1dd">'));
    assert.notEqual(tag('<input type="radio" value="1">'), tag('<input type="radio" value="2">'));
    assert.notEqual(tag('<p id="star_r_us">'), tag('<p id="star_r_is">'));
    assert.notEqual(tag('<p title=":rocket:">'), tag('<p title=":red:">'));
    assert.notEqual(tag('<option value="1">'), tag('<option value="2">'));
  });
});

describe('the text of an element', () => {
  it('is the text directly in it, without digits and white space, and cut', () => {
    assert.equal(ownTextOf(element('<p>Page 12 <b>of</b>\u00a0 <!-- x -->3 !</p>')), 'Page!');
    assert.equal(ownTextOf(element(`<p>${' '.repeat(100_000)}${'\u{1f600}'.repeat(50)}</p>`)), '\u{1f600}'.repeat(40));
    assert.equal(ownTextOf(element(`<p>${'ab<br>'.repeat(50)}</p>`)), 'ab'.repeat(20));
  });
});

describe('plain text', () => {
  it('has straight quotes and single spaces, and is cut between characters', () => {
    assert.equal(plain(' \n“a” \t ‘b’\u2028'), '"a" \'b\'');
    assert.equal(plain(`${'x'.repeat(199)}\u{1f600}\u{1f600}`), `${'x'.repeat(199)}\u{1f600}`);
    assert.equal(plain(`${'\n'.repeat(5_000)}a`), 'a');
  });
});

describe('reported markup', () => {
  it('has an element if it begins with a whole start tag', () => {
    assert.equal(startTagOf(element('<td ALIGN=left>x')), 'td\nalign=left');
    assert.equal(reportedElement('<div class="cut off'), null);
    assert.equal(reportedElement('</div>'), null);
    assert.equal(reportedElement('<html lang="en"><p>'), null);
    assert.equal(reportedElement(''), null);
  });
});
