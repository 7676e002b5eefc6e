import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { occurrencesIn } from '../../src/issues/diff-pages.ts';
import { CLUSTER_BYTES, issueTypeFingerprint, PageIdentities, TRACE_PATH_BYTES } from '../../src/issues/identity.ts';
import { isElement, type SourceElement } from '../../src/page-source/source-element.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';
import { createSecondIdentity } from '../helpers/second-identity.ts';

/** What identifies issue types, and equal occurrences. */

const html = (type: 'error' | 'warning', message: string): string =>
  issueTypeFingerprint('html', { type, subType: null, ruleId: null, message }, false);
const a11y = (type: 'error' | 'warning', ruleId: string, message: string): string =>
  issueTypeFingerprint('a11y', { type, subType: null, ruleId, message }, true);

describe('an issue type', () => {
  it('of a message is the same as an error and as a warning, and however it is spaced', () => {
    assert.equal(
      html('error', 'The “align” attribute is obsolete.'),
      html('warning', 'The "align"  attribute is obsolete.'),
    );
    assert.notEqual(html('error', 'Stray end tag “p”.'), html('error', 'Stray end tag “b”.'));
  });

  it('of a rule is the same for any help text, but not as a result that needs review', () => {
    assert.equal(
      a11y('error', 'image-alt', 'Images must have text'),
      a11y('error', 'image-alt', 'Images must have alt'),
    );
    assert.notEqual(a11y('error', 'image-alt', 'x'), a11y('warning', 'image-alt', 'x'));
  });
});

describe('equal occurrences', () => {
  it('have their own fingerprints, and removing an occurrence removes the last one', () => {
    const kind = html('error', 'An “img” element must have an “alt” attribute.');
    const rows = (count: number): string[] => {
      const occurrences = Array.from({ length: count }, () => ({ element: null, markup: '<img src=x>' }));
      return occurrencesIn(new PageIdentities('https://example.com/').identify(kind, occurrences).occurrences);
    };
    assert.equal(new Set(rows(10)).size, 10);
    assert.deepEqual(rows(9), rows(10).slice(0, 9));
  });
});

describe('the cluster of an occurrence', () => {
  const identities = new PageIdentities('https://example.com/');
  const clusters = (
    kind: string,
    occurrences: readonly (readonly [markup: string, cause: string | null])[],
  ): string[] => {
    const given = occurrences.map(([markup, cause]) => ({ element: null, markup, cause }));
    const packed = Buffer.from(identities.identify(kind, given).clusters);
    return Array.from(occurrences, (_, at) => packed.toString('hex', CLUSTER_BYTES * at, CLUSTER_BYTES * (at + 1)));
  };

  it('is the same for one issue type and cause, or markup without a cause, and differs for others', () => {
    const [one, same, otherColors, paragraph, sameParagraph, bold] = clusters('contrast', [
      ['<p id=a>', '#777777 on #ffffff'],
      ['<b id=b>', '#777777 on #ffffff'],
      ['<p id=a>', '#888888 on #ffffff'],
      ['<p id=a>', null],
      ['<p id=b>', null],
      ['<b id=b>', null],
    ]);
    assert.equal(same, one);
    assert.equal(sameParagraph, paragraph);
    assert.equal(new Set([one, otherColors, paragraph, bold]).size, 4);
    assert.notDeepEqual(clusters('other', [['<p id=a>', '#777777 on #ffffff']]), [one]);
  });
});

describe('the edited element of an occurrence', () => {
  const elements = parseSource(
    '<!doctype html><div class=body><a href=/><img src=a></a><p><img src=a></p></div>',
  )?.elements;
  const named = (name: string, at = 0): SourceElement => {
    const found = elements?.filter((element) => element.name === name)[at];
    assert.ok(found !== undefined);
    return found;
  };
  const identify = (element: SourceElement, edited: SourceElement | null) => {
    const identities = new PageIdentities('https://example.com/');
    const { occurrences, clusters, traces } = identities.identify('kind', [{ element, markup: '', edited }]);
    const [path, base] = [traces.subarray(0, TRACE_PATH_BYTES), traces.subarray(TRACE_PATH_BYTES)];
    return [occurrences, clusters, path, base].map((bytes) => Buffer.from(bytes).toString('hex'));
  };

  it('determines its cluster and, inside of its element, its path, but not its fingerprint', () => {
    const [link, image, paragraph] = [named('a'), named('img'), named('p')];
    const [own, inside, ofImage] = [identify(link, null), identify(link, image), identify(image, null)];
    assert.deepEqual(inside, [own[0], ofImage[1], ofImage[2], own[3]]);
    const [outside, alone, around] = [
      identify(paragraph, named('div')),
      identify(paragraph, null),
      identify(named('div'), null),
    ];
    assert.deepEqual(outside, [alone[0], around[1], alone[2], alone[3]]);
  });
});

describe('occurrences in an element with a long start tag', () => {
  const identities = new PageIdentities('https://example.com/');
  const attributesOf = (length: number): string => Array.from({ length }, (_, index) => `data-${index}=x`).join(' ');
  const elementWith = (last: string, attributes = 1_000): SourceElement => {
    const root = parseSource(`<p ${attributesOf(attributes)} ${last}>`)?.root;
    const found = root?.children.filter(isElement).flatMap(({ children }) => children.filter(isElement))[0];
    assert.ok(found !== undefined);
    return found;
  };
  const occurrence = (kind: string, element: SourceElement): string | undefined =>
    occurrencesIn(identities.identify(kind, [{ element, markup: '' }]).occurrences)[0];

  it('are told apart by all of it', () => {
    const all = ['id=a', 'id=b'].map((last) => occurrence('kind', elementWith(last)));
    assert.equal(new Set(all).size, 2);
  });

  it('take no longer than others, regardless of their issue types', () => {
    const element = elementWith('id=a', 20_000);
    const all = Array.from({ length: 5_000 }, (_, index) => occurrence(`kind ${index}`, element));
    assert.equal(new Set(all).size, 5_000);
  });

  it('have the fingerprints of their definition', () => {
    const text = `<!DOCTYPE html>\n<p ${attributesOf(1_000)} id=c>`;
    const second = createSecondIdentity('html', text);
    const kind = second.kind('x');
    assert.equal(occurrence(kind, elementWith('id=c')), second.occurrence(kind, { line: 2, column: 2 }));
  });
});
