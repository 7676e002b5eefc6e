import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useMemo } from 'react';
import { MADE_BY_SCRIPT } from 'sitewarden-client/occurrences';
import type { Item } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries/web-page.ts';
import { count, dateTime } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { type SourceLines, sourceLines } from '../../lib/source-lines.ts';
import { startTagRange, validatorRange } from '../../lib/source-occurrences.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';
import type { SourceMark } from '../../source-view/source-mark.ts';
import { SourceView } from '../../source-view/source-view.tsx';
import { type Occurrence, type PageIssue, wordsOf } from './page-issues.ts';
import type { Selection } from './use-selection.ts';

interface PaneProps {
  readonly page: Item<'web_page'>;
  readonly issues: readonly PageIssue[];
  readonly selection: Selection;
  readonly findField: RefObject<HTMLInputElement | null>;
  /** The note about the selected occurrence. */
  readonly card: ReactNode;
}

/** The document as the server sent it, with its occurrences marked. */
export function SourcePane(props: PaneProps) {
  const { report } = useReport();
  const { page } = props;
  const hasSource = page.related.source !== undefined;
  const source = useQuery({ ...sourceQuery(report.id, page.id), enabled: hasSource });
  if (!hasSource) {
    // Only documents are checked, so a checked page has a document.
    const isHidden = KIND_NAMES.some((kind) => page[KINDS[kind].check]?.status === 'checked');
    return (
      <>
        {props.card}
        <EmptyState title="No source available">
          <p>
            {isHidden
              ? 'The report signs in to the site. Only the owner of the report can see the source of its pages.'
              : page.journey === null
                ? 'The server sent no document for this page.'
                : page.journey_step === null
                  ? 'The journey failed after its last mark.'
                  : 'The journey did not get to this mark.'}
          </p>
        </EmptyState>
      </>
    );
  }
  return <QueryView query={source}>{(data) => <Source {...props} source={data} />}</QueryView>;
}

function Source({
  source,
  issues,
  selection,
  findField,
  card,
}: PaneProps & { readonly source: Item<'web_page_source'> }) {
  const lines = useMemo(() => sourceLines(source.text), [source.text]);
  const { marks, occurrences } = useMemo(() => marksOf(lines, issues), [lines, issues]);
  const { issue, occurrence } = selection;
  const selected = issue === undefined || occurrence === undefined ? null : keyOf(issue, occurrence);
  const isInSource = selected !== null && occurrences.has(selected);
  const select = (key: string): void => {
    const found = occurrences.get(key);
    if (found !== undefined) selection.select(found.issue, found.occurrence);
  };
  return (
    <>
      {isInSource ? null : card}
      {occurrence !== undefined && !isInSource ? <p>{whyNot(occurrence)}</p> : null}
      <SourceView
        lines={lines}
        marks={marks}
        selected={selected}
        note={isInSource ? card : undefined}
        about={
          <>
            {source.encoding.toUpperCase()}, fetched {dateTime(source.fetched_at)}
            {source.omitted > 0 ? `; ${count(source.omitted)} more characters are not shown` : ''}
          </>
        }
        findField={findField}
        onSelect={select}
      />
    </>
  );
}

function whyNot(occurrence: Occurrence): string {
  if (occurrence.note === MADE_BY_SCRIPT)
    return 'A script created this element, so it is not in the source that the server sent.';
  if (occurrence.line !== null) return 'This occurrence is after the part of the source that is shown.';
  if (occurrence.selector !== null) return 'This element could not be found in the source. It may be in a frame.';
  return 'This occurrence has no line in the source.';
}

/** Returns the marks of the source, with their labels. */
function marksOf(lines: SourceLines, issues: readonly PageIssue[]) {
  const marks: SourceMark[] = [];
  const occurrences = new Map<string, { readonly issue: PageIssue; readonly occurrence: Occurrence }>();
  for (const issue of issues) {
    for (const occurrence of issue.occurrences) {
      const range =
        occurrence.validator !== null
          ? validatorRange(lines, occurrence.validator)
          : occurrence.line === null
            ? null
            : startTagRange(lines, occurrence.line, occurrence.column ?? 1);
      if (range === null) continue;
      const key = keyOf(issue, occurrence);
      marks.push({ ...range, key, severity: issue.severity, words: wordsOf(issue, occurrence) });
      occurrences.set(key, { issue, occurrence });
    }
  }
  return { marks, occurrences };
}

function keyOf(issue: PageIssue, occurrence: Occurrence): string {
  return `${issue.key} ${occurrence.number}`;
}
