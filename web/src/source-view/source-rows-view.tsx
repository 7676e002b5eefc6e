import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Range, SourceLines } from '../lib/source-lines.ts';
import { type SourceRows, sourceRows } from '../lib/source-rows.ts';
import { type ShownLine, SourceLine } from './source-line.tsx';
import { marksByLine, type SourceMark } from './source-mark.ts';
import styles from './source-view.module.css';
import { useViewport, type Viewport } from './use-viewport.ts';

interface SourceRowsProps {
  readonly lines: SourceLines;
  readonly isWrapped: boolean;
  readonly marks: readonly SourceMark[];
  readonly selected: string | null;
  /** Scrolled to when it changes. */
  readonly target: Range | null;
  /** Content below the end of the selected occurrence. */
  readonly note: ReactNode;
  readonly found: readonly Range[];
  /** Which match is shown. */
  readonly current: number;
  readonly onSelect: (key: string) => void;
}

/** The visible lines of a source, in a box as high as all of them. */
export function SourceRowsView(props: SourceRowsProps) {
  const { lines, isWrapped, marks, selected, note, found, current, onSelect } = props;
  const { frame, probe, gutter, viewport, rows, notePlace, noteBox } = useRows(props);
  const beginning = useMemo(() => marksByLine(marks, lines.lineAt), [marks, lines]);
  const { rowHeight } = viewport;
  const shown = linesToDraw(lines, rows, rowsToDraw(viewport, rows.count, notePlace), notePlace);
  const box = {
    height: topOf(rows.count, rowHeight, notePlace),
    '--gutter': `${gutter}ch`,
    // Without wrapping, the view scrolls sideways.
    ...(!isWrapped && { width: `${rows.longest + gutter + 2}ch` }),
  } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
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
        <p className={styles.about}>The source is too long to show all of it here. Choose “Raw” to see all of it.</p>
      ) : null}
    </section>
  );
}

/** Divides the lines into rows that fit, and scrolls to the target. */
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

/** Rows drawn above and below the visible ones, so that scrolling shows no gaps. */
const spareRows = 8;

/** The position of a note between rows. */
interface NotePlace {
  /** The row above the note. */
  readonly row: number;
  readonly height: number;
}

/** Returns the position of a row, in pixels from the top of the source. */
function topOf(row: number, rowHeight: number, note: NotePlace | null): number {
  return row * rowHeight + (note !== null && row > note.row ? note.height : 0);
}

/** Returns the rows to draw; `to` is exclusive. */
function rowsToDraw({ top, height, rowHeight }: Viewport, count: number, note: NotePlace | null): Range {
  const isBehindNote = note !== null && top > (note.row + 1) * rowHeight;
  const first = Math.floor(Math.max(0, isBehindNote ? top - note.height : top) / rowHeight);
  return {
    from: Math.max(0, Math.min(first, count - 1) - spareRows),
    to: Math.min(count, first + Math.ceil(height / rowHeight) + spareRows),
  };
}

/** Joins rows to lines. A note splits its line in two. */
function linesToDraw(lines: SourceLines, rows: SourceRows, { from, to }: Range, note: NotePlace | null): ShownLine[] {
  const shown: { line: number; firstRow: number; rows: Range[]; isWhole: boolean }[] = [];
  for (let row = from; row < to; row += 1) {
    const range = rows.rangeOf(row);
    const line = lines.lineAt(range.from);
    const before = shown.at(-1);
    if (before?.line === line && row - 1 !== note?.row) before.rows.push(range);
    else shown.push({ line, firstRow: row, rows: [range], isWhole: range.from === lines.startOf(line) });
  }
  return shown;
}

/**
 * Returns the occurrences in some rows. The selected one comes first, because only the first ones are drawn if there are many.
 */
function marksIn(marks: readonly SourceMark[], rows: readonly Range[], selected: string | null): SourceMark[] {
  const inside = rangesIn(marks, rows);
  const first = inside.find(({ key }) => key === selected);
  return first === undefined ? inside : [first, ...inside.filter((mark) => mark !== first)];
}

/** Returns the ranges of a list that overlap some rows. */
function rangesIn<Each extends Range>(ranges: readonly Each[], rows: readonly Range[]): Each[] {
  const from = rows[0]?.from ?? 0;
  const to = rows.at(-1)?.to ?? 0;
  return ranges.filter((range) => range.from < to && range.to > from);
}
