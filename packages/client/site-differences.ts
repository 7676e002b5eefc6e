import type { Item } from './client.ts';
import { CHECK_KINDS, CHECKS } from './report-attributes.ts';

type Setting =
  | ('device' | 'device_rotated' | 'max_pages' | 'deep_crawl' | 'dynamic_crawler' | 'prefer_canonical_urls')
  | (
      | 'respect_robots_txt'
      | 'signs_in'
      | 'initial_urls'
      | 'inclusions'
      | 'exclusions'
      | 'wait_for'
      | 'explore_states'
      | 'consent'
    )
  | `perform_${(typeof CHECK_KINDS)[number]}_checks`;
type Site = Pick<Item<'site'>, 'id' | 'starting_url' | Setting>;
/** Writes a text that someone entered. */
type Quote = (text: string) => string;

/** What each setting is called where it distinguishes two sites. */
const WORDS: readonly ((site: Site, quote: Quote) => string)[] = [
  (site) =>
    CHECK_KINDS.filter((kind) => site[`perform_${kind}_checks`])
      .map((kind) => CHECKS[kind].title)
      .join(', '),
  ({ device, device_rotated: isRotated }, quote) =>
    `${device === null ? 'default device' : quote(device)}${isRotated ? ', rotated' : ''}`,
  ({ max_pages: most }) => `up to ${most.toLocaleString('en')} page${most === 1 ? '' : 's'}`,
  ({ deep_crawl: isDeep }) => (isDeep ? 'deep crawl' : 'no deep crawl'),
  ({ dynamic_crawler: isDynamic }) => (isDynamic ? 'dynamic crawler' : 'no dynamic crawler'),
  ({ prefer_canonical_urls: prefers }) => (prefers ? 'canonical URLs' : 'no canonical URLs'),
  ({ respect_robots_txt: respects }) => (respects ? 'obeys robots.txt' : 'ignores robots.txt'),
  ({ signs_in: signsIn }) => (signsIn ? 'signed in' : 'not signed in'),
  ({ initial_urls: urls }, quote) =>
    urls.length === 0 ? 'no additional start' : `also starts from ${urls.map(quote).join(', ')}`,
  ({ inclusions }, quote) => (inclusions.length === 0 ? 'all pages' : `only ${inclusions.map(quote).join(', ')}`),
  ({ exclusions }, quote) =>
    exclusions.length === 0 ? 'no exclusions' : `without ${exclusions.map(quote).join(', ')}`,
  ({ wait_for: selector }, quote) =>
    selector === null ? 'does not wait for an element' : `waits for ${quote(selector)}`,
  ({ consent }) => `consent: ${consent ?? 'none'}`,
  ({ explore_states: explores }) => (explores ? 'opens menus and dialogs' : 'opens nothing'),
];

/**
 * Returns what distinguishes each site from the others with its starting URL, by id. Sites whose starting URL is their own have
 * nothing.
 * @param quote writes texts that someone entered, such as exclusions
 */
export function siteDifferences(sites: readonly Site[], quote: Quote = whole): ReadonlyMap<string, string> {
  const groups = new Map<string, Site[]>();
  for (const site of sites) groups.set(site.starting_url, [...(groups.get(site.starting_url) ?? []), site]);
  return new Map(
    [...groups.values()].filter(({ length }) => length > 1).flatMap((group) => differencesIn(group, quote)),
  );
}

function differencesIn(sites: readonly Site[], quote: Quote): [string, string][] {
  // Quotes may shorten texts that differ at their ends.
  const differing = WORDS.filter((wordsOf) => new Set(sites.map((site) => wordsOf(site, whole))).size > 1);
  return sites.map((site) => [site.id, differing.map((wordsOf) => wordsOf(site, quote)).join('; ')]);
}

function whole(text: string): string {
  return text;
}
