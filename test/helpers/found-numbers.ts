import assert from 'node:assert/strict';
import type { Item, TestApp } from './start-app.ts';

/** The numbers of a report, counted from its issues. */

type Asking = Pick<TestApp, 'ask' | 'all'>;

export const KINDS = ['html', 'a11y', 'link'] as const;
export const IMPACTS = ['critical', 'serious', 'moderate', 'minor'] as const;

/** What one kind of check found. */
export interface Found {
  errors: number;
  /** Warnings, or issues that need review. */
  warnings: number;
  readonly impacts: Record<(typeof IMPACTS)[number], number>;
}

export interface Numbers {
  readonly html: Found;
  readonly a11y: Found;
  readonly link: Found;
  readonly found: number;
  readonly checked: number;
  readonly passed: number;
}

export const nothing = (): Found => ({
  errors: 0,
  warnings: 0,
  impacts: { critical: 0, serious: 0, moderate: 0, minor: 0 },
});

export function add(found: Found, issue: Item['attributes'], howMany = issue.how_many): void {
  if (issue.issue_type === 'warning') found.warnings += howMany;
  else found.errors += howMany;
  if (issue.issue_type === 'error' && issue.impact) found.impacts[issue.impact as 'minor'] += howMany;
}

/** Adds up the issues of all pages of a report, with which all other numbers have to agree. */
export async function numbersOf({ all }: Pick<TestApp, 'all'>, id: string): Promise<Numbers> {
  const found = { html: nothing(), a11y: nothing(), link: nothing() };
  const list = await all(`/reports/${id}/web_pages`);
  let [checked, passed] = [0, 0];
  for (const { id: pageId, attributes } of list) {
    let errors = 0;
    for (const kind of KINDS) {
      for (const issue of await all(`/reports/${id}/web_pages/${pageId}/${kind}_issues`)) {
        add(found[kind], issue.attributes);
        if (issue.attributes.issue_type === 'error') errors += issue.attributes.how_many;
      }
    }
    const isChecked = KINDS.every((kind) => attributes[`${kind}_check`].status === 'checked');
    checked += isChecked ? 1 : 0;
    passed += isChecked && errors === 0 ? 1 : 0;
  }
  return { ...found, found: list.length, checked, passed };
}

/** Reads the counts of a check as the API shows them. */
// biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
export const foundOf = ({ errors, warnings, errors_by_impact: impacts }: any): Found => ({
  ...{ errors, warnings, impacts: impacts ?? nothing().impacts },
});

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
export const errorsOf = ({ html, a11y, link }: Numbers): number => html.errors + a11y.errors + link.errors;

/** Asserts that the groups add up to both reports, and returns them. */
export async function changesOf(service: Asking, now: string): Promise<Record<string, number>> {
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
  const { meta }: any = await service.ask(`/reports/${now}/changes`);
  const { new: added, regressed, not_checked_before: again, persisting, unverified, fixed } = meta.changes;
  assert.equal(added + regressed + again + persisting, await occurrencesAtEnd(service, now));
  assert.equal(persisting + fixed + unverified, await occurrencesAtEnd(service, meta.with));
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
  const ofNow = ((await service.ask(`/reports/${now}/changes?at=now`)) as any).meta.changes;
  assert.equal(
    ofNow.new + ofNow.regressed + ofNow.not_checked_before + ofNow.persisting,
    await occurrencesIn(service, now),
  );
  assert.equal(ofNow.persisting + ofNow.fixed + ofNow.unverified, await occurrencesAtEnd(service, meta.with));
  const ofReport = (await service.ask(`/reports/${now}`)).data.attributes.change;
  const { broken_pages: _, recovered_pages: __, decided, ...shown } = ofReport;
  assert.deepEqual({ ...shown, persisting }, meta.changes);
  assert.deepEqual(decided, meta.decided);
  return meta.changes;
}

async function occurrencesIn({ all }: Asking, of: string): Promise<number> {
  const lists = KINDS.map((kind) => all(`/reports/${of}/common_${kind}_issues`));
  return sum((await Promise.all(lists)).flat().map(({ attributes }) => attributes.how_many));
}

async function occurrencesAtEnd({ ask }: Asking, of: string): Promise<number> {
  const { at_end: atEnd, checks } = (await ask(`/reports/${of}`)).data.attributes;
  const issues = KINDS.map((kind) => (atEnd?.checks ?? checks)[kind].issues);
  return sum(issues.map(({ errors, warnings }) => errors + warnings));
}

export async function pagesOf({ all }: Asking, now: string): Promise<unknown[]> {
  const list = await all(`/reports/${now}/changes/pages?filter[change]=added,removed,broken,recovered`);
  return list.map(({ attributes: { change, url, deleted, found_again: again, error_code: code } }) => [
    ...[change, new URL(url).pathname, deleted, again, code],
  ]);
}
