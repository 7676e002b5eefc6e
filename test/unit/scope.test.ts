import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createScope } from '../../src/spider/scope.ts';
import { anyUrl, fc } from '../helpers/random.ts';

function scopeOf(startingUrl: string, finalUrl = startingUrl) {
  return createScope({ startingUrl, finalUrl });
}

describe('createScope', () => {
  it('contains http and https of one host, and no other port or host', () => {
    const scope = scopeOf('http://example.org/start');
    assert.equal(scope.contains('https://example.org/other'), true);
    assert.equal(scope.contains('http://example.org/'), true);
    assert.equal(scope.contains('http://example.org:80/'), true);
    assert.equal(scope.contains('https://example.org:443/'), true);
    assert.equal(scope.contains('http://example.org:443/'), false);
    assert.equal(scope.contains('http://example.org:8080/'), false);
    assert.equal(scope.contains('http://sub.example.org/'), false);
    assert.equal(scope.contains('http://example.org.evil.test/'), false);
    assert.equal(scope.contains('http://notexample.org/'), false);
  });

  it('contains an explicit port in both schemes', () => {
    const scope = scopeOf('http://127.0.0.1:8080/');
    assert.equal(scope.contains('https://127.0.0.1:8080/a'), true);
    assert.equal(scope.contains('http://127.0.0.1/'), false);
  });

  it('separates www until one redirects to the other', () => {
    assert.equal(scopeOf('https://example.org/').contains('https://www.example.org/'), false);
    for (const [from, to] of [
      ['http://example.org/', 'https://www.example.org/'],
      ['http://www.example.org/', 'https://example.org/'],
    ] as const) {
      const scope = scopeOf(from, to);
      assert.equal(scope.contains('https://www.example.org/a'), true);
      assert.equal(scope.contains('https://example.org/a'), true);
      assert.equal(scope.contains('https://www.www.example.org/a'), false);
    }
  });

  it('moves with a redirect to another host', () => {
    const scope = scopeOf('http://old.example/', 'https://new.example/');
    assert.equal(scope.contains('https://new.example/a'), true);
    assert.equal(scope.contains('https://old.example/a'), false);
  });

  it("always contains the end of the starting URL's redirects", () => {
    fc.assert(fc.property(anyUrl, anyUrl, (from, to) => scopeOf(from, to).contains(to)));
  });
});
