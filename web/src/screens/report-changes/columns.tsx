import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { occurrenceWords } from '../../lib/change-words.ts';
import { count } from '../../lib/formats.ts';
import { KINDS } from '../../lib/kinds.ts';
import type { Column } from '../../parts/data-table.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { ChangeLabel } from '../../report/change-label.tsx';
import { severityOf } from '../../report/issue-words.ts';
import { SampleLink } from '../../report/sample-link.tsx';
import styles from './screen.module.css';

type Change = Item<'issue_change'>;

const CAUSES = {
  site: 'site changed',
  engine: 'checker has another version',
  settings: 'settings differ',
  measurement: 'same document, other result',
  page_gone: 'page is gone (404 or 410)',
  not_checked: 'page could not be checked',
  page_missing: 'page is not in this report',
  too_many_occurrences: 'too many occurrences to compare',
} as const;

const CAUSE_NAMES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];

/** The changes of occurrences that were not there before. */
const CAME = ['new', 'regressed'] as const;

/**
 * The columns of the list of changes.
 * @param isPrevious whether the report is compared with its previous one, to which the changes of single occurrences refer
 */
export function changeColumns(report: string, base: string, isPrevious: boolean): readonly Column<Change>[] {
  return [
    { key: 'change', title: 'Change', cell: ({ change }) => <ChangeLabel change={change} /> },
    {
      key: 'severity',
      title: 'Severity',
      cell: (change) => <SeverityLabel of={severityOf(change, change.kind)} />,
    },
    {
      key: 'message',
      title: 'Issue',
      isMain: true,
      cell: (change) => (
        <>
          <IssueLink change={change} report={report} base={base} isPrevious={isPrevious} />
          <span className={styles.kind}>{KINDS[change.kind].title}</span>
          {change.sample !== null && cameIn(change) !== undefined ? (
            <span className={styles.sample}>
              <SampleLink kind={change.kind} sample={change.sample} isOnly={change.how_many === 1} />
            </span>
          ) : null}
        </>
      ),
    },
    {
      key: 'cause',
      title: 'Cause',
      cell: ({ causes, occurrences }) => causeWords(causes, occurrences.found_again),
    },
    {
      key: 'occurrences',
      title: 'Occurrences',
      isNumber: true,
      cell: ({ occurrences }) => <Occurrences of={occurrences} />,
    },
    {
      key: 'pages',
      title: 'Pages',
      isNumber: true,
      cell: ({ num_web_pages_before: before, num_web_pages: now }) => <BeforeNow before={before} now={now} />,
    },
  ];
}

/** Returns which change new occurrences have; undefined if there are none. */
function cameIn({ occurrences }: Change): (typeof CAME)[number] | undefined {
  return CAME.find((change) => occurrences[change] > 0);
}

/** Returns why occurrences changed, and how many for each of several causes: `site changed (2), page could not be checked (1)`. */
function causeWords(causes: Change['causes'], foundAgain: number): string {
  const found = [
    ...CAUSE_NAMES.map((cause) => [CAUSES[cause], causes[cause]] as const),
    ['page was not checked in the earlier report', foundAgain] as const,
  ].filter(([, occurrences]) => occurrences > 0);
  return found
    .toSorted(([, one], [, other]) => other - one)
    .map(([words, occurrences]) => (found.length > 1 ? `${words} (${count(occurrences)})` : words))
    .join(', ');
}

/**
 * How many occurrences there were and are where both reports looked for them, and what became of all of them. So `more` and `fewer`
 * agree with the two numbers.
 */
function Occurrences({ of }: { readonly of: Change['occurrences'] }) {
  const before = of.persisting + of.fixed;
  const now = of.persisting + of.new + of.regressed;
  return (
    <>
      {before + now === 0 ? null : <BeforeNow before={before} now={now} />}
      <span className={styles.sample}>{occurrenceWords(of)}</span>
    </>
  );
}

function BeforeNow({ before, now }: { readonly before: number; readonly now: number }) {
  if (before === now) return count(now);
  return (
    <>
      {count(before)}
      <span aria-hidden="true"> → </span>
      <span className="visually-hidden"> before, now </span>
      {count(now)}
    </>
  );
}

/** The issue type in this report, at the occurrences that changed; or in the earlier report, if this one has none of it. */
function IssueLink({
  change,
  report,
  base,
  isPrevious,
}: {
  readonly change: Change;
  readonly report: string;
  readonly base: string;
  readonly isPrevious: boolean;
}) {
  const { kind, message, related } = change;
  const [, , id, , issue] = related.common_issue?.split('/') ?? [];
  if (issue === undefined) return message;
  const isHere = id === report;
  const occurrences = isHere && isPrevious ? cameIn(change) : undefined;
  return (
    <Link
      to={`${isHere ? base : `/reports/${id}`}/${KINDS[kind].path}/${issue}`}
      search={occurrences === undefined ? {} : { view: 'occurrences', occurrences }}
    >
      {message}
    </Link>
  );
}
