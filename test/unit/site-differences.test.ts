import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siteDifferences } from '../../packages/client/site-differences.ts';

type Site = Parameters<typeof siteDifferences>[0][number];

function site(id: string, exclusions: string[], startingUrl = 'https://example.com/', inclusions: string[] = []): Site {
  return {
    ...{ id, starting_url: startingUrl, perform_html_checks: true, perform_a11y_checks: false },
    ...{ device: null, device_rotated: false, max_pages: 10, deep_crawl: true, dynamic_crawler: false },
    ...{ prefer_canonical_urls: true, respect_robots_txt: false, signs_in: false, initial_urls: [], exclusions },
    ...{ inclusions, wait_for: null, explore_states: false, consent: null },
  };
}

test('sites with the same starting URL are distinguished by the settings that differ', () => {
  const sites = [site('1', []), site('2', ['/old']), site('3', [], 'https://other.example/')];
  assert.deepEqual(
    [...siteDifferences(sites)],
    [
      ['1', 'no exclusions'],
      ['2', 'without /old'],
    ],
  );
});

test('sections of a site are distinguished by their inclusions', () => {
  const home = 'https://example.com/';
  const sites = [site('1', [], home), site('2', [], home, ['/shop/', '/help/'])];
  assert.deepEqual([...siteDifferences(sites).values()], ['all pages', 'only /shop/, /help/']);
});

test('a difference that a quote hides is still a difference', () => {
  const sites = [site('1', ['/archive/2024']), site('2', ['/archive/2025'])];
  assert.deepEqual(
    [...siteDifferences(sites, (text) => `${text.slice(0, 9)}…`).values()],
    ['without /archive/…', 'without /archive/…'],
  );
});
