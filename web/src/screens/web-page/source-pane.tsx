import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useMemo } from 'react';
import type { Item } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries/web-page.ts';
import { count, dateTime } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { type SourceLines, sourceLines } from '../../lib/source-lines.ts';
import { startTagRange, validatorRange } from '../../lib/source-places.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';
import type { SourceMark } from '../../source-view/source-mark.ts';
import { SourceView } from '../../source-view/source-view.tsx';
import { type PageIssue, type Place, wordsOf } from './page-issues.ts';
import type { Selection } from './use-selection.ts';

interface PaneProps {
  readonly page: Item<'web_page'>;
  readonly issues: readonly PageIssue[];
  readonly selection: Selection;
  readonly findField: RefObject<HTMLInputElement | null>;
  /** What is said about the selected place. */
  readonly card: ReactNode;
}

/** The document as the server sent it, with all places that are in it. */
export function SourcePane(props: PaneProps) {
  const { report } = useReport();
  const { page } = props;
  const hasSource = page.related.source !== undefined;
  const source = useQuery({ ...sourceQuery(report.id, page.id), enabled: hasSource });
  if (!hasSource) {
    // Pages are checked as documents, so that one that was checked has one.
    const isHidden = KIND_NAMES.some((kind) => page[KINDS[kind].check]?.status === 'checked');
    return (
      <>
        {props.card}
        <EmptyState title="There is no source to show">
          <p>
            {isHidden
              ? 'The report signs in to the site. Only its owner sees what the site shows to those who signed in.'
              : 'The server sent no document for this page.'}
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
  const { marks, places } = useMemo(() => marksOf(lines, issues), [lines, issues]);
  const { issue, place } = selection;
  const selected = issue === undefined || place === undefined ? null : keyOf(issue, place);
  const isInSource = selected !== null && places.has(selected);
  const select = (key: string): void => {
    const found = places.get(key);
    if (found !== undefined) selection.select(found.issue, found.place);
  };
  return (
    <>
      {isInSource ? null : card}
      {place !== undefined && !isInSource ? <p>{whyNot(place)}</p> : null}
      <SourceView
        lines={lines}
        marks={marks}
        selected={selected}
        note={isInSource ? card : undefined}
        about={
          <>
            {source.encoding.toUpperCase()}, as it was at {dateTime(source.fetched_at)}
            {source.omitted > 0 ? `; ${count(source.omitted)} more characters are not shown` : ''}
          </>
        }
        findField={findField}
        onSelect={select}
      />
    </>
  );
}

function whyNot(place: Place): string {
  if (place.madeByScript) return 'A script made this element, so that it is not in the source that the server sent.';
  if (place.line !== null) return 'This place is behind the part of the source that is shown.';
  if (place.selector !== null) return 'This element could not be found in the source. It may be in a frame.';
  return 'This place has no line in the source.';
}

/** Returns what to mark in the source, and what each mark is about. */
function marksOf(lines: SourceLines, issues: readonly PageIssue[]) {
  const marks: SourceMark[] = [];
  const places = new Map<string, { readonly issue: PageIssue; readonly place: Place }>();
  for (const issue of issues) {
    for (const place of issue.places) {
      const range =
        place.validator !== null
          ? validatorRange(lines, place.validator)
          : place.line === null
            ? null
            : startTagRange(lines, place.line, place.column ?? 1);
      if (range === null) continue;
      const key = keyOf(issue, place);
      marks.push({ ...range, key, severity: issue.severity, words: wordsOf(issue, place) });
      places.set(key, { issue, place });
    }
  }
  return { marks, places };
}

function keyOf(issue: PageIssue, place: Place): string {
  return `${issue.key} ${place.number}`;
}
