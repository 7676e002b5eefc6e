import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Item } from '../../api/client.ts';
import { type ReviewedCause, reviewedSourceQuery } from '../../api/queries/review.ts';
import { sourceLines } from '../../lib/source-lines.ts';
import { startTagRange } from '../../lib/source-occurrences.ts';
import { QueryView } from '../../live/query-view.tsx';
import { messageOf, severityOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import type { SourceMark } from '../../source-view/source-mark.ts';
import { SourceRowsView } from '../../source-view/source-rows-view.tsx';
import styles from './screen.module.css';

interface SourceProps {
  readonly cause: ReviewedCause;
  readonly occurrence: Item<'occurrence'>;
}

/** The source of the page around an occurrence, or its markup if it is not in the source. */
export function Source({ cause, occurrence }: SourceProps) {
  if (occurrence.line === null) {
    return (
      <>
        {cause.kind === 'a11y' ? (
          <p className="soft small">
            A script created this element, or it is in a frame: the source does not contain it.
          </p>
        ) : null}
        <Markup occurrence={occurrence} />
      </>
    );
  }
  return <SourceAround cause={cause} occurrence={occurrence} line={occurrence.line} />;
}

function Markup({ occurrence: { extract, markup, selector } }: Pick<SourceProps, 'occurrence'>) {
  return (
    <>
      <pre className={styles.markup}>{extract ?? markup}</pre>
      {selector === null ? null : <code className="soft small">{selector}</code>}
    </>
  );
}

const SELECTED = 'selected';

function SourceAround({ cause, occurrence, line }: SourceProps & { readonly line: number }) {
  const { report } = useReport();
  const source = useQuery(reviewedSourceQuery(report.id, occurrence.web_page_id));
  const text = source.data?.text;
  const lines = useMemo(() => sourceLines(text ?? ''), [text]);
  const { kind, issue } = cause;
  const { column } = occurrence;
  const marks = useMemo((): SourceMark[] => {
    const range =
      column === null && line <= lines.count ? lines.rangeOf(line) : startTagRange(lines, line, column ?? 1);
    const about = { key: SELECTED, severity: severityOf(issue, kind), words: messageOf(issue) };
    return range === null ? [] : [{ ...range, ...about }];
  }, [lines, line, column, issue, kind]);
  // The report signs in to the site, or the occurrence is after the part of the source that is stored.
  if (source.error !== null || (source.data !== undefined && marks.length === 0)) {
    return <Markup occurrence={occurrence} />;
  }
  return (
    <QueryView query={source} rows={4}>
      {() => (
        <SourceRowsView
          lines={lines}
          isWrapped
          marks={marks}
          selected={SELECTED}
          target={marks[0] ?? null}
          note={undefined}
          found={[]}
          current={0}
          onSelect={() => undefined}
        />
      )}
    </QueryView>
  );
}
