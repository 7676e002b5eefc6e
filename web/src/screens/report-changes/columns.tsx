import { Link } from '@tanstack/react-router';
import {
  changeWords,
  comparedOf,
  DECISION_EFFECTS,
  decisionWords,
  OTHER_CHANGES,
  occurrenceWords,
} from 'sitewarden-client/changes';
import type { Item } from '../../api/client.ts';
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
  engine: 'engine versions differ',
  settings: 'settings differ',
  measurement: 'same document, different result',
  muting: 'muted in one report',
  page_gone: 'page returns 404 or 410',
  not_checked: 'page could not be checked',
  page_missing: 'page is in one report only',
  too_many_occurrences: 'too many occurrences to compare',
} as const;

const CAUSE_NAMES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];

/** The changes of occurrences that did not exist before. */
const CAME = ['new', 'regressed'] as const;

/**
 * The columns of the list of changes.
 * @param isPrevious whether the other report is the previous report, to which the changes of single occurrences refer
 * @param isOtherSite whether it belongs to another site
 */
export function changeColumns(
  report: string,
  base: string,
  { isPrevious, isOtherSite }: { readonly isPrevious: boolean; readonly isOtherSite: boolean },
): readonly Column<Change>[] {
  return [
    {
      key: 'change',
      title: isOtherSite ? 'Difference' : 'Change',
      cell: ({ change }) => <ChangeLabel change={change} isOtherSite={isOtherSite} />,
    },
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
      cell: (change) => causeWords(change, isOtherSite),
    },
    {
      key: 'occurrences',
      title: 'Occurrences',
      isNumber: true,
      cell: ({ occurrences }) => <Occurrences of={occurrences} isOtherSite={isOtherSite} />,
    },
    {
      key: 'pages',
      title: 'Pages',
      isNumber: true,
      cell: ({ num_web_pages_before: before, num_web_pages: now }) => (
        <BeforeNow before={before} now={now} isOtherSite={isOtherSite} />
      ),
    },
  ];
}

/** Returns the change of new occurrences; undefined if there are none. */
function cameIn({ occurrences }: Change): (typeof CAME)[number] | undefined {
  return CAME.find((change) => occurrences[change] > 0);
}

/**
 * Returns why occurrences changed, with numbers if there are several causes: `site changed (2), page could not be checked (1)`.
 */
function causeWords({ causes, decided }: Change, isOtherSite: boolean): string {
  const words = isOtherSite ? { ...CAUSES, site: 'sites differ' } : CAUSES;
  const byDecision = decisionWords(isOtherSite);
  const found = [
    ...CAUSE_NAMES.map((cause) => [words[cause], causes[cause]] as const),
    ...DECISION_EFFECTS.map((effect) => [byDecision[effect], decided[effect]] as const),
  ].filter(([, occurrences]) => occurrences > 0);
  return found
    .toSorted(([, one], [, other]) => other - one)
    .map(([cause, occurrences]) => (found.length > 1 ? `${cause} (${count(occurrences)})` : cause))
    .join(', ');
}

/**
 * The numbers of occurrences before and now, counting only what both reports checked, so that `more` and `fewer` agree with them.
 * Then the changes of all occurrences.
 */
function Occurrences({ of, isOtherSite }: { readonly of: Change['occurrences']; readonly isOtherSite: boolean }) {
  const { before, now } = comparedOf(of);
  return (
    <>
      {before + now === 0 ? null : <BeforeNow before={before} now={now} isOtherSite={isOtherSite} />}
      <span className={styles.sample}>{occurrenceWords(of, OTHER_CHANGES, changeWords(isOtherSite))}</span>
    </>
  );
}

function BeforeNow({
  before,
  now,
  isOtherSite,
}: {
  readonly before: number;
  readonly now: number;
  readonly isOtherSite: boolean;
}) {
  if (before === now) return count(now);
  return (
    <>
      {count(before)}
      <span aria-hidden="true"> → </span>
      <span className="visually-hidden"> {isOtherSite ? 'there, here' : 'before, now'} </span>
      {count(now)}
    </>
  );
}

/** The issue type in this report, filtered by the change; or in the earlier report, if this report does not have it. */
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
