// Writes the tables of docs/accessibility-rules.md from the installed axe-core: the rules that it runs by default, and the
// others.
//   npm run rule-tables
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';

export const RULES_PAGE = 'docs/accessibility-rules.md';
const path = join(import.meta.dirname, '..', RULES_PAGE);

/** The tag of a rule's standard and level. Success criteria that WCAG 2.2 has removed have the suffix. */
const LEVEL_TAG = /^wcag(2|21|22)(a{1,3})(?:-obsolete)?$/;
/** The tag of a success criterion, such as `wcag1412` for 1.4.12. */
const CRITERION_TAG = /^wcag(\d)(\d)(\d+)$/;

/** Returns the text of the page, with the tables and the counts as they should be. */
export function rulesPage() {
  const rules = allRules();
  const isDefault = ({ reason }) => reason === null;
  const tables = {
    default: table('Impact', rules.filter(isDefault), ({ impact }) => impact),
    other: table(
      'Reason',
      rules.filter((rule) => !isDefault(rule)),
      ({ reason }) => reason,
    ),
  };
  const counts = `axe-core ${axe.version} has ${rules.length} rules and runs ${rules.filter(isDefault).length} of them`;
  return readFileSync(path, 'utf8')
    .replace(/axe-core [\d.]+ has \d+ rules and runs \d+ of them/, counts)
    .replace(/(<!-- (default|other) rules -->\n).*?(?=<!-- end -->)/gs, (_, start, name) => start + tables[name]);
}

function table(lastColumn, rules, lastOf) {
  const rows = rules.map((rule) => `| ${rule.link} | ${rule.requirement} | ${rule.standard} | ${lastOf(rule)} |\n`);
  return `| Rule | Requirement | Standard | ${lastColumn} |\n|---|---|---|---|\n${rows.join('')}`;
}

/** The rules in the order of axe-core. */
function allRules() {
  // The public `getRules` has neither the impact nor the tags whose rules are off.
  const { rules, tagExclude } = axe._audit;
  const impacts = new Map(rules.map(({ id, impact }) => [id, impact]));
  return axe.getRules().map(({ ruleId, help, helpUrl, tags, enabled }) => ({
    link: `[\`${ruleId}\`](${helpUrl.split('?')[0]})`,
    requirement: help.replaceAll(/<[a-z]+>|\[[^\]]+\]/g, '`$&`').replaceAll('|', '\\|'),
    standard: standardOf(tags),
    impact: impacts.get(ruleId),
    reason: tags.find((tag) => tagExclude.includes(tag)) ?? (enabled ? null : 'off by default'),
  }));
}

/** Returns the standard, the level and the success criteria, such as `WCAG 2.1 AA: 1.3.5`. */
function standardOf(tags) {
  const tag = tags.find((name) => LEVEL_TAG.test(name));
  if (tag === undefined) return 'best practice';
  const [, version, level] = LEVEL_TAG.exec(tag);
  const criteria = tags.flatMap((name) => CRITERION_TAG.exec(name)?.slice(1).join('.') ?? []);
  return `WCAG 2.${version[1] ?? 0} ${level.toUpperCase()}: ${criteria.join(', ')}`;
}

if (import.meta.main) writeFileSync(path, rulesPage());
