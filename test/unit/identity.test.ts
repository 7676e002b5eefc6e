import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placesIn } from '../../src/answers/compare-pages.ts';
import { kindFingerprint, PageIdentities } from '../../src/answers/identity.ts';

/** What identifies kinds of issue, and equal places. */

const html = (type: 'error' | 'warning', message: string): string =>
  kindFingerprint('html', { type, subType: null, ruleId: null, message }, false);
const a11y = (type: 'error' | 'warning', ruleId: string, message: string): string =>
  kindFingerprint('a11y', { type, subType: null, ruleId, message }, true);

describe('a kind of issue', () => {
  it('of a message is the same as an error and as a warning, and however it is spaced', () => {
    assert.equal(
      html('error', 'The “align” attribute is obsolete.'),
      html('warning', 'The "align"  attribute is obsolete.'),
    );
    assert.notEqual(html('error', 'Stray end tag “p”.'), html('error', 'Stray end tag “b”.'));
  });

  it('of a rule is the same whatever its help says, but not as a result that needs review', () => {
    assert.equal(
      a11y('error', 'image-alt', 'Images must have text'),
      a11y('error', 'image-alt', 'Images must have alt'),
    );
    assert.notEqual(a11y('error', 'image-alt', 'x'), a11y('warning', 'image-alt', 'x'));
  });
});

describe('equal places', () => {
  it('have fingerprints of their own, of which removing a place takes the last', () => {
    const kind = html('error', 'An “img” element must have an “alt” attribute.');
    const rows = (count: number): string[] => {
      const places = Array.from({ length: count }, () => ({ element: null, markup: '<img src=x>' }));
      return placesIn(new PageIdentities('https://example.com/').identify(kind, places).places);
    };
    assert.equal(new Set(rows(10)).size, 10);
    assert.deepEqual(rows(9), rows(10).slice(0, 9));
  });
});
