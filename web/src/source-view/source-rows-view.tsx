import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Range, SourceLines } from '../lib/source-lines.ts';
import { sourceRows } from '../lib/source-rows.ts';
import { linesToDraw, marksIn, rangesIn, rowsToDraw, topOf } from './shown-rows.ts';
import { SourceLine } from './source-line.tsx';
import { marksByLine, type SourceMark } from './source-mark.ts';
import styles from './source-view.module.css';
import { useViewport } from './use-viewport.ts';

interface SourceRowsProps {
  readonly lines: SourceLines;
  readonly isWrapped: boolean;
  readonly marks: readonly SourceMark[];
  readonly selected: string | null;
  /** What to scroll to when it changes. */
  readonly target: Range | null;
  /** What stands below the end of the selected place. */
  readonly note: ReactNode;
  readonly found: readonly Range[];
  /** Which of the found places is shown. */
  readonly current: number;
  readonly onSelect: (key: string) => void;
}

/** The lines of a source that are on the screen, in a box as high as all of them. */
export function SourceRowsView(props: SourceRowsProps) {
  const { lines, isWrapped, marks, selected, note, found, current, onSelect } = props;
  const { frame, probe, gutter, viewport, rows, notePlace, noteBox } = useRows(props);
  const beginning = useMemo(() => marksByLine(marks, lines.lineAt), [marks, lines]);
  const { rowHeight } = viewport;
  const shown = linesToDraw(lines, rows, rowsToDraw(viewport, rows.count, notePlace), notePlace);
  const box = {
    height: topOf(rows.count, rowHeight, notePlace),
    '--gutter': `${gutter}ch`,
    // Lines that are not wrapped make the view scroll sideways.
    ...(!isWrapped && { width: `${rows.longest + gutter + 2}ch` }),
  } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section ref={frame} className={styles.frame} aria-label="Source" tabIndex={0}>
      <span ref={probe} className={styles.probe} aria-hidden="true">
        {'0'.repeat(100)}
      </span>
      <ol className={styles.lines} style={box}>
        {shown.map((each) => (
          <SourceLine
            key={each.firstRow}
            shown={each}
            text={lines.text}
            lines={lines.count}
            marks={marksIn(marks, each.rows, selected)}
            beginning={beginning.get(each.line) ?? []}
            found={rangesIn(found, each.rows).map((range) => ({ ...range, isCurrent: range === found[current] }))}
            selected={selected}
            style={{ insetBlockStart: topOf(each.firstRow, rowHeight, notePlace) }}
            onSelect={onSelect}
          />
        ))}
      </ol>
      {notePlace === null ? null : (
        <div ref={noteBox} className={styles.note} style={{ insetBlockStart: (notePlace.row + 1) * rowHeight }}>
          {note}
        </div>
      )}
      {rows.isCut ? (
        <p className={styles.about}>There are more lines than can be shown here. “Raw” shows all of them.</p>
      ) : null}
    </section>
  );
}

/** Divides the lines into rows that fit, and scrolls to what is wanted. */
function useRows({ lines, isWrapped, marks, selected, target, note }: SourceRowsProps) {
  const frame = useRef<HTMLElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const gutter = String(lines.count).length + 4;
  const viewport = useViewport(frame, probe, gutter);
  const columns = isWrapped ? viewport.columns : Number.POSITIVE_INFINITY;
  const rows = useMemo(() => sourceRows(lines, columns), [lines, columns]);
  const [noteHeight, noteBox] = useHeight();
  const mark = note == null ? undefined : marks.find(({ key }) => key === selected);
  const notePlace =
    mark === undefined ? null : { row: rows.rowAt(Math.max(mark.from, mark.to - 1)), height: noteHeight };
  const { rowHeight } = viewport;

  useEffect(() => {
    const element = frame.current;
    if (element === null || target === null) return;
    const top = rows.rowAt(target.from) * rowHeight;
    const bottom = top + 3 * rowHeight;
    const isVisible = top >= element.scrollTop && bottom < element.scrollTop + element.clientHeight;
    if (!isVisible) element.scrollTop = Math.max(0, top - element.clientHeight / 3);
  }, [target, rows, rowHeight]);
  return { frame, probe, gutter, viewport, rows, notePlace, noteBox };
}

/** Follows the height of an element. */
function useHeight(): readonly [height: number, ref: (element: HTMLElement | null) => void] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    setHeight(element?.offsetHeight ?? 0);
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [height, setElement];
}
