import type { Kind } from './kinds.ts';

/** What problems do to people, in words for readers who know no HTML. */

/** What HTML errors do, by what their messages are about: the first one whose tags an error has all. */
const HTML_EFFECTS: readonly (readonly [tags: readonly string[], effect: string])[] = [
  [['parsing stopped'], 'The rest of the page could not be checked.'],
  [['duplicate id'], 'Labels, links and scripts can reach the wrong element.'],
  [['character encoding'], 'Letters can be shown wrongly.'],
  [['character reference'], 'Characters can be shown wrongly.'],
  [['viewport'], 'Hinders people who enlarge pages.'],
  [['language'], 'Screen readers can read the text in the wrong language.'],
  [['aria'], 'Screen readers can announce it wrongly.'],
  [['image', 'missing attribute'], 'The picture lacks something that browsers or screen readers need.'],
  [['label'], 'People can have trouble telling what to fill in.'],
  [['heading'], 'The page is harder to navigate by headings.'],
  [['bad value', 'url'], 'What the address leads to may fail to load.'],
  [['css'], 'A style may have no effect.'],
  [['obsolete'], 'HTML no longer has this; browsers can stop supporting it.'],
  [['table'], 'The table can be shown or read aloud wrongly.'],
  [['form'], 'The form can behave in an unexpected way.'],
  ...['nesting', 'stray tag', 'unclosed element', 'end tag', 'syntax', 'void element'].map(
    (tag) => [[tag], 'Browsers have to guess the structure of the page here.'] as const,
  ),
];

/** Returns whom a problem hinders, or what it does otherwise. */
export function effectOf({ kind, tags, message }: { kind: Kind; tags: readonly string[]; message: string }): string {
  if (kind === 'link') return 'The link fails to lead visitors where it should.';
  if (kind === 'html') {
    if (tags.includes('image') && tags.includes('missing attribute') && message.includes('“alt”')) {
      return `Hinders ${PEOPLE['cat.text-alternatives']}.`;
    }
    const effect = HTML_EFFECTS.find(([needed]) => needed.every((tag) => tags.includes(tag)))?.[1];
    return effect ?? 'This breaks a rule of HTML, and browsers can treat it in different ways.';
  }
  const people = hinderedPeople(tags);
  return people === null ? 'Hinders people who use assistive technology.' : `Hinders ${people}.`;
}

/**
 * Whom a barrier hinders, by the category of the axe rule: each rule has one, among its tags
 * (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md, section 1.1).
 */
export const PEOPLE: Readonly<Record<string, string>> = {
  'cat.text-alternatives': 'people who cannot see pictures',
  'cat.color': 'people with low vision, and everyone in bright light',
  'cat.sensory-and-visual-cues': 'people with low vision, and those who enlarge pages',
  'cat.keyboard': 'people who use a keyboard instead of a mouse',
  'cat.forms': 'people who have forms read aloud or fill them in by voice',
  'cat.name-role-value': 'people who use a screen reader or voice control',
  'cat.aria': 'people who use a screen reader',
  'cat.structure': 'people who find their way by headings and lists, with a screen reader',
  'cat.semantics': 'people who find their way by headings and sections, with a screen reader',
  'cat.tables': 'people who have tables read aloud',
  'cat.language': 'people who have pages read aloud',
  'cat.time-and-media': 'people who cannot hear or see videos, and those whom motion distracts',
  'cat.parsing': 'people who use a screen reader',
};

/** Returns whom an issue hinders, in plain words; null if its tags do not tell. */
function hinderedPeople(tags: readonly string[]): string | null {
  const category = tags.find((tag) => tag in PEOPLE);
  return category === undefined ? null : (PEOPLE[category] ?? null);
}
