/**
 * Whom a barrier hinders, by the category of the axe rule: each rule has one, among its tags
 * (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md, section 1.1).
 */
const PEOPLE: Readonly<Record<string, string>> = {
  'cat.text-alternatives': 'people who cannot see pictures',
  'cat.color': 'people with low vision, and everybody in bright light',
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
export function hinderedPeople(tags: readonly string[]): string | null {
  const category = tags.find((tag) => tag in PEOPLE);
  return category === undefined ? null : (PEOPLE[category] ?? null);
}
