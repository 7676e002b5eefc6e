import Type, { type Static } from 'typebox';
import type { Item } from '../../../packages/client/client.ts';
import { occurrencesOf, type PageIssueItem } from '../../../packages/client/occurrences.ts';
import { engineOf } from '../../checks/registry.ts';
import { plural } from '../../domain/amounts.ts';
import { PRESENT_CHANGE_NAMES } from '../../domain/change.ts';
import { CERTAINTIES, IMPACTS } from '../../domain/check.ts';
import { LIMIT, PAGE, pagingOf, REPORT_ID } from '../inputs.ts';
import {
  headingOf,
  issueAt,
  issueLine,
  KINDS,
  type Kind,
  kindsOf,
  kindTitle,
  readCommonIssues,
  readPageIssues,
} from '../issues.ts';
import { issueTypesOfPageMax, occurrencesOfIssueMax } from '../limits.ts';
import { pageAt } from '../pages.ts';
import { answerOf, fromSite, moreLine, siteUrl } from '../text.ts';
import { type ToolCall, tool } from '../tool.ts';

const INPUT = Type.Object(
  {
    report_id: REPORT_ID,
    kind: Type.Optional(Type.Enum([...KINDS], { description: 'Only this type of check; all types by default.' })),
    type: Type.Optional(
      Type.Enum([...CERTAINTIES], { description: 'Only errors, which are certain, or warnings, which need review.' }),
    ),
    impact: Type.Optional(
      Type.Enum([...IMPACTS], {
        description: 'Only accessibility errors of this impact; with type warning, findings that need review.',
      }),
    ),
    change: Type.Optional(
      Type.Enum([...PRESENT_CHANGE_NAMES], {
        description: 'Only issues with this change since the previous report.',
      }),
    ),
    contains: Type.Optional(Type.String({ description: 'Only issues whose message contains this.', maxLength: 500 })),
    page_url: Type.Optional(
      Type.String({
        description:
          'Only issues of the page with this URL or path, errors first, with their lines. `change` is then ignored.',
        maxLength: 2_048,
      }),
    ),
    limit: LIMIT,
    page: PAGE,
  },
  { additionalProperties: false },
);
type Input = Static<typeof INPUT>;

export const LIST_ISSUES = tool({
  name: 'list_issues',
  title: 'List issues',
  description:
    'Lists the issue types of a report, the worst errors first, with how often and on how many pages they occur; or the issues of one page with their lines. explain_issue shows where an issue occurs and how to fix it.',
  input: INPUT,
  readsOnly: true,
  async run(call, input) {
    const report = await call.api.read<'report'>(`/reports/${input.report_id}`, { signal: call.signal });
    const kinds = kindsOf(report).filter((kind) => input.kind === undefined || kind === input.kind);
    if (kinds.length === 0) return `The report has no checks of the kind ${input.kind}.`;
    const page = input.page_url === undefined ? null : await pageAt(call, report.id, input.page_url);
    const sections: string[] = [];
    for (const kind of kinds) {
      sections.push(
        ...(page === null ? await sectionOf(call, kind, input) : await sectionOfPage(call, kind, page, input)),
      );
    }
    const running =
      report.status === 'finished' ? [] : [`The report is ${report.status}: these results are incomplete.`];
    return answerOf([...(page === null ? [] : [`Page ${siteUrl(page.url)}`]), ...running, ...sections]);
  },
});

async function sectionOf({ api, signal }: ToolCall, kind: Kind, input: Input): Promise<string[]> {
  if (input.impact !== undefined && !engineOf(kind).isGraded) return [];
  const query = {
    ...pagingOf(input),
    'filter[issue_type]': typeOf(input),
    'filter[impact]': input.impact,
    'filter[change]': input.change,
    [textFilterOf(kind)]: input.contains,
    sort: 'severity-desc',
  };
  const path = `/reports/${input.report_id}/common_${kind}_issues`;
  const { items, total } = await readCommonIssues(api, path, { query, signal });
  return [
    `${kindTitle(kind)}: ${kinds(total)}`,
    ...items.map(issueLine),
    ...restLines(kind, total, items.length, input),
  ];
}

function textFilterOf(kind: Kind): string {
  return `filter[${engineOf(kind).issues.messageFilter.name}]`;
}

/** Explains how to get the next page of a list. */
function restLines(kind: Kind, total: number, items: number, { limit, page = 1 }: Input): string[] {
  const { 'page[size]': size } = pagingOf({ ...(limit !== undefined && { limit }) });
  return moreLine(total, (page - 1) * size + items, `use kind ${kind} and page ${page + 1}`);
}

async function sectionOfPage(
  { api, signal }: ToolCall,
  kind: Kind,
  page: Item<'web_page'>,
  input: Input,
): Promise<string[]> {
  const check = page[`${kind}_check`];
  if (check?.status === 'failed') return [`${kindTitle(kind)}: could not be checked: ${fromSite(check.error ?? '')}`];
  if (input.impact !== undefined && !engineOf(kind).isGraded) return [];
  const path = `/reports/${input.report_id}/web_pages/${page.id}/${kind}_issues`;
  const query = { 'page[size]': issueTypesOfPageMax, [textFilterOf(kind)]: input.contains };
  const read = await readPageIssues(api, path, { query, signal });
  const found = read.items.filter((issue) => isWanted(issue, input)).sort((one, other) => rankOf(one) - rankOf(other));
  const { 'page[size]': size, 'page[number]': number } = pagingOf(input);
  const [items, total] = [found.slice((number - 1) * size, number * size), found.length];
  const unread = read.total - read.items.length;
  return [
    `${kindTitle(kind)}: ${kinds(total)}`,
    ...items.map((issue) => {
      const id = issueAt(issue.related.common_issue);
      const where = `${plural(issue.how_many, 'occurrence')}: ${occurrenceTexts(issue)}`;
      return `- ${id === null ? '' : `${id} `}${headingOf(issue)}, ${where}`;
    }),
    ...restLines(kind, total, items.length, input),
    ...moreLine(unread, 0, 'use contains'),
  ];
}

/** An impact alone selects errors: issues that need review are a separate group. */
function typeOf({ type, impact }: Input): Input['type'] {
  return type ?? (impact === undefined ? undefined : 'error');
}

function isWanted(issue: PageIssueItem, input: Input): boolean {
  const { impact } = input;
  return (
    (typeOf(input) ?? issue.issue_type) === issue.issue_type && (impact === undefined || impactOf(issue) === impact)
  );
}

function impactOf(issue: PageIssueItem): string | null {
  return 'impact' in issue ? issue.impact : null;
}

/** The worst first, as in the lists of reports. */
function rankOf(issue: PageIssueItem): number {
  const afterErrors = issue.issue_type === 'warning' ? IMPACTS.length + 1 : 0;
  return 'impact_order' in issue ? afterErrors - issue.impact_order : afterErrors;
}

function kinds(total: number): string {
  return total === 0 ? 'none' : `${plural(total, 'issue type')}`;
}

/** Returns the first occurrences of an issue on its page; none for engines with unknown attributes: explain_issue shows them. */
function occurrenceTexts(issue: PageIssueItem): string {
  const shown = occurrencesOf(issue)
    .slice(0, occurrencesOfIssueMax)
    .map(({ line, extract, markup }) => {
      if (issue.type === 'link_issue') return siteUrl(markup);
      return `${line === null ? '' : `line ${line} `}${fromSite(extract ?? markup)}`;
    });
  return [...shown, ...(issue.how_many > shown.length ? ['…'] : [])].join('; ');
}
