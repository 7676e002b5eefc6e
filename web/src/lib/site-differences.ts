import type { Item } from 'sitewarden-client';
import { plural } from './formats.ts';
import { KIND_NAMES, KINDS } from './kinds.ts';

type Site = Pick<Item<'site'>, 'id' | 'starting_url' | 'settings'>;
type Settings = Site['settings'];

/** What each setting is called where it tells two sites apart. */
const WORDS: readonly ((settings: Settings) => string)[] = [
  ({ checks }) =>
    KIND_NAMES.filter((kind) => checks.includes(kind))
      .map((kind) => KINDS[kind].title)
      .join(', '),
  ({ device, device_rotated: isRotated }) => `${device ?? 'default device'}${isRotated ? ', rotated' : ''}`,
  ({ max_pages: most }) => `up to ${plural(most, 'page')}`,
  ({ deep_crawl: isDeep }) => (isDeep ? 'deep crawl' : 'no deep crawl'),
  ({ dynamic_crawler: isDynamic }) => (isDynamic ? 'dynamic crawler' : 'no dynamic crawler'),
  ({ prefer_canonical_urls: prefers }) => (prefers ? 'canonical URLs' : 'no canonical URLs'),
  ({ respect_robots_txt: respects }) => (respects ? 'obeys robots.txt' : 'ignores robots.txt'),
  ({ signs_in: signsIn }) => (signsIn ? 'signed in' : 'not signed in'),
  ({ initial_urls: urls }) => (urls.length === 0 ? 'no other start' : `starts also from ${urls.join(', ')}`),
  ({ exclusions }) => (exclusions.length === 0 ? 'no exclusions' : `without ${exclusions.join(', ')}`),
  ({ wait_for: selector }) => (selector === null ? 'waits for no element' : `waits for ${selector}`),
];

/** Returns what tells each site apart from the others with its starting URL, by id. Sites whose starting URL is their own have nothing. */
export function siteDifferences(sites: readonly Site[]): ReadonlyMap<string, string> {
  const groups = [...Map.groupBy(sites, ({ starting_url: url }) => url).values()];
  return new Map(groups.filter(({ length }) => length > 1).flatMap(differencesIn));
}

function differencesIn(sites: readonly Site[]): [string, string][] {
  const differing = WORDS.filter((wordsOf) => new Set(sites.map(({ settings }) => wordsOf(settings))).size > 1);
  return sites.map(({ id, settings }) => [id, differing.map((wordsOf) => wordsOf(settings)).join('; ')]);
}
