/** Returns the WCAG success criteria and level in the tags of an axe rule: `WCAG 1.1.1 A`, or an empty string. */
export function criteriaOf(tags: readonly string[]): string {
  const criteria = tags.flatMap((tag) => {
    const [, principle, guideline, criterion] = /^wcag(\d)(\d)(\d{1,2})$/.exec(tag) ?? [];
    return principle === undefined ? [] : [`${principle}.${guideline}.${criterion}`];
  });
  const level = tags.map((tag) => /^wcag2\d?(a{1,3})$/.exec(tag)?.[1]).find((each) => each !== undefined);
  if (criteria.length === 0) return tags.includes('best-practice') ? 'best practice' : '';
  return `WCAG ${criteria.join(', ')}${level === undefined ? '' : ` ${level.toUpperCase()}`}`;
}
