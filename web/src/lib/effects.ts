import type { Kind } from './kinds.ts';

/** How problems affect visitors, for readers who know no HTML. */

/** The effects of HTML errors by tag: the first entry whose tags the error has applies. */
const HTML_EFFECTS: readonly (readonly [tags: readonly string[], effect: string])[] = [
  [['parsing stopped'], 'The rest of the page could not be checked.'],
  [['duplicate id'], 'Labels, links and scripts can reach the wrong element.'],
  [['character encoding'], 'Letters can be displayed incorrectly.'],
  [['character reference'], 'Characters can be displayed incorrectly.'],
  [['viewport'], 'Affects people who enlarge pages.'],
  [['language'], 'Screen readers can read the text in the wrong language.'],
  [['aria'], 'Screen readers can announce it incorrectly.'],
  [['image', 'missing attribute'], 'The image lacks something that browsers or screen readers need.'],
  [['label'], 'People may not know what to enter.'],
  [['heading'], 'The page is harder to navigate by headings.'],
  [['bad value', 'url'], 'The linked resource may fail to load.'],
  [['css'], 'A style may have no effect.'],
  [['obsolete'], 'This is obsolete in HTML, and browsers can stop supporting it.'],
  [['table'], 'The table can be displayed or read aloud incorrectly.'],
  [['form'], 'The form can behave unexpectedly.'],
  ...['nesting', 'stray tag', 'unclosed element', 'end tag', 'syntax', 'void element'].map(
    (tag) => [[tag], 'Browsers have to guess the structure of the page.'] as const,
  ),
];

/** Returns whom a problem affects, or its other effect. */
export function effectOf({ kind, tags, message }: { kind: Kind; tags: readonly string[]; message: string }): string {
  if (kind === 'link') return 'The link does not take visitors where it should.';
  if (kind === 'html') {
    if (tags.includes('image') && tags.includes('missing attribute') && message.includes('“alt”')) {
      return `Affects ${PEOPLE['cat.text-alternatives']}.`;
    }
    const effect = HTML_EFFECTS.find(([needed]) => needed.every((tag) => tags.includes(tag)))?.[1];
    return effect ?? 'This is invalid HTML, which browsers can treat differently.';
  }
  const people = hinderedPeople(tags);
  return people === null ? 'Affects people who use assistive technology.' : `Affects ${people}.`;
}

/**
 * The people whom a barrier affects, by the category of the axe rule: each rule has one, among its tags
 * (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md, section 1.1).
 */
export const PEOPLE: Readonly<Record<string, string>> = {
  'cat.text-alternatives': 'people who cannot see images',
  'cat.color': 'people with low vision, and everyone in bright light',
  'cat.sensory-and-visual-cues': 'people who have low vision or enlarge pages',
  'cat.keyboard': 'people who use a keyboard instead of a mouse',
  'cat.forms': 'people who use forms with a screen reader or by voice',
  'cat.name-role-value': 'people who use a screen reader or voice control',
  'cat.aria': 'people who use a screen reader',
  'cat.structure': 'people who navigate by headings and lists with a screen reader',
  'cat.semantics': 'people who navigate by headings and sections with a screen reader',
  'cat.tables': 'people who read tables with a screen reader',
  'cat.language': 'people who use a screen reader',
  'cat.time-and-media': 'people who cannot see or hear videos, or are distracted by motion',
  'cat.parsing': 'people who use a screen reader',
};

/** Returns whom an issue affects, in plain words; null if its tags do not say. */
function hinderedPeople(tags: readonly string[]): string | null {
  const category = tags.find((tag) => tag in PEOPLE);
  return category === undefined ? null : (PEOPLE[category] ?? null);
}
