import type { CSSProperties } from 'react';
import { piecesOf, type Range } from '../lib/source-lines.ts';
import { SeverityGlyph } from '../parts/severity.tsx';
import { type SourceMark, worstOf } from './source-mark.ts';
import styles from './source-view.module.css';

/** A line, with its visible rows. */
export interface ShownLine {
  readonly line: number;
  /** The number of the first visible row, from 0. */
  readonly firstRow: number;
  readonly rows: readonly Range[];
  /** Whether the first of these rows is the first of the line. */
  readonly isWhole: boolean;
}

/** The part of a row that matches the search or belongs to an occurrence. */
type Drawn = SourceMark | (Range & { readonly key: null; readonly isCurrent: boolean });

/** One line: its number, the worst severity of the occurrences that start in it, and its code. */
export function SourceLine({
  shown: { line, rows, isWhole },
  text,
  lines,
  marks,
  beginning,
  found,
  selected,
  style,
  onSelect,
}: {
  readonly shown: ShownLine;
  readonly text: string;
  /** Number of lines of the document. */
  readonly lines: number;
  /** Occurrences that may be in the rows. If they overlap too much, the first ones count. */
  readonly marks: readonly SourceMark[];
  /** Occurrences that start in this line. */
  readonly beginning: readonly SourceMark[];
  readonly found: readonly (Range & { readonly isCurrent: boolean })[];
  readonly selected: string | null;
  readonly style: CSSProperties;
  readonly onSelect: (key: string) => void;
}) {
  const told = beginning.find(({ key }) => key === selected) ?? beginning[0];
  const severity = worstOf(beginning);
  const drawn: readonly Drawn[] = [...found.map((each) => ({ ...each, key: null })), ...marks];
  return (
    <li className={styles.line} style={style} aria-setsize={lines} aria-posinset={line}>
      <span className={styles.gutter}>
        <span className={styles.glyph}>{severity === null || !isWhole ? null : <SeverityGlyph of={severity} />}</span>
        {told === undefined ? (
          <span className={styles.number}>{isWhole ? line : '↪'}</span>
        ) : (
          <button type="button" className={styles.number} onClick={() => onSelect(told.key)} tabIndex={-1}>
            <span className="visually-hidden">line </span>
            {line}
            <span className="visually-hidden">
              , {told.words.replace(/\.$/, '')}
              {beginning.length > 1 ? ` and ${beginning.length - 1} more in this line` : ''}:{' '}
            </span>
          </button>
        )}
      </span>
      <code className={styles.code}>
        {rows.map((row) => (
          <span key={row.from} className={styles.row}>
            {piecesOf<Drawn>(row, drawn).map((piece) => (
              <Piece
                key={piece.from}
                text={text.slice(piece.from, piece.to)}
                marks={piece.marks}
                selected={selected}
                onSelect={onSelect}
              />
            ))}
          </span>
        ))}
      </code>
    </li>
  );
}

function Piece({
  text,
  marks,
  selected,
  onSelect,
}: {
  readonly text: string;
  readonly marks: readonly Drawn[];
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}) {
  if (marks.length === 0) return text;
  const occurrences = marks.filter((mark) => mark.key !== null);
  const finding = marks.find((mark) => mark.key === null);
  const isSelected = occurrences.some(({ key }) => key === selected);
  const severity = worstOf(occurrences);
  const className = [
    severity === null ? '' : `${styles.mark} ${styles[severity]}`,
    isSelected ? styles.selected : '',
    finding === undefined ? '' : finding.isCurrent ? styles.foundCurrent : styles.found,
  ].join(' ');
  // The innermost occurrence is the last to begin.
  const innermost = occurrences.reduce<SourceMark | undefined>(
    (best, mark) => (best === undefined || mark.from >= best.from ? mark : best),
    undefined,
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the number of the line is a button for it, and `n` and `p` go from occurrence to occurrence.
    <mark className={className} onClick={innermost === undefined ? undefined : () => onSelect(innermost.key)}>
      {text}
    </mark>
  );
}
