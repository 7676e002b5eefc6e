import { type ReactNode, type RefObject, useEffect, useId, useMemo, useState } from 'react';
import { count, plural } from '../lib/formats.ts';
import { findInSource, type SourceLines } from '../lib/source-lines.ts';
import { Button } from '../parts/button.tsx';
import lineInput from '../parts/line-input.module.css';
import type { SourceMark } from './source-mark.ts';
import { SourceRowsView } from './source-rows-view.tsx';
import styles from './source-view.module.css';

/**
 * A document with marked occurrences. Only visible lines are drawn, so that documents of millions of characters open
 * at once.
 */
export function SourceView({
  lines,
  marks,
  selected,
  note,
  about,
  findField,
  onSelect,
}: {
  readonly lines: SourceLines;
  readonly marks: readonly SourceMark[];
  /** The key of the selected occurrence. The view scrolls to it when it changes. */
  readonly selected: string | null;
  /** Content below the line of the selected occurrence. */
  readonly note?: ReactNode;
  /** A note about the document. */
  readonly about?: ReactNode;
  /** Receives a function that focuses the search field. */
  readonly findField: RefObject<HTMLInputElement | null>;
  readonly onSelect: (key: string) => void;
}) {
  const [isWrapped, setWrapped] = useState(true);
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState(0);
  const found = useMemo(() => findInSource(lines.text, wanted), [lines, wanted]);
  // The view follows the latest target: an occurrence or a match.
  const [isFinding, setFinding] = useState(false);
  useEffect(() => setFinding(selected === null), [selected]);
  const go = (step: 1 | -1): void => {
    setFinding(true);
    if (found.length > 0) setCurrent((before) => (before + step + found.length) % found.length);
  };
  const mark = marks.find(({ key }) => key === selected);
  return (
    <div className={styles.view}>
      <div className={styles.tools}>
        <FindField
          field={findField}
          text={wanted}
          found={found.length}
          current={current}
          onGo={go}
          onChange={(next) => {
            setWanted(next);
            setCurrent(0);
            setFinding(true);
          }}
        />
        <label className={styles.wrap}>
          <input type="checkbox" checked={isWrapped} onChange={() => setWrapped(!isWrapped)} /> Wrap
        </label>
        <RawButton text={lines.text} />
      </div>
      <SourceRowsView
        lines={lines}
        isWrapped={isWrapped}
        marks={marks}
        selected={selected}
        target={(isFinding ? found[current] : mark) ?? null}
        note={note}
        found={found}
        current={current}
        onSelect={onSelect}
      />
      <p className={styles.about}>
        {plural(lines.count, 'line')}
        {about === undefined ? null : <>, {about}</>}
      </p>
      <span className="visually-hidden" role="status">
        {mark === undefined ? '' : `Line ${count(lines.lineAt(mark.from))}, ${mark.words}`}
      </span>
    </div>
  );
}

/** How long the text stays available to the browser. */
const urlMs = 60_000;

/** Opens a text in a new tab as plain text, for the browser's own search and save. */
function RawButton({ text }: { readonly text: string }) {
  const open = (): void => {
    // Plain text, so that no code in it runs.
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    window.open(url, '_blank');
    setTimeout(() => URL.revokeObjectURL(url), urlMs);
  };
  return (
    <Button look="quiet" onClick={open}>
      Raw
      <span aria-hidden="true"> ↗</span>
      <span className="visually-hidden"> in a new tab</span>
    </Button>
  );
}

/** Searches the whole source. The browser's search misses lines that are not drawn. */
function FindField({
  field,
  text,
  found,
  current,
  onChange,
  onGo,
}: {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  /** Number of matches. */
  readonly found: number;
  /** The index of the shown match. */
  readonly current: number;
  readonly onChange: (text: string) => void;
  /** Goes to the next or previous match. */
  readonly onGo: (step: 1 | -1) => void;
}) {
  const id = useId();
  return (
    <search className={styles.find}>
      <label htmlFor={id}>Find in source</label>
      <input
        ref={field}
        id={id}
        className={lineInput.input}
        type="search"
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onGo(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className={styles.soft}>
        {text === '' ? '' : found === 0 ? 'not found' : `${count(current + 1)} of ${count(found)}`}
      </span>
      {found > 1 ? (
        <>
          <Button look="quiet" aria-label="Previous match" onClick={() => onGo(-1)}>
            ↑
          </Button>
          <Button look="quiet" aria-label="Next match" onClick={() => onGo(1)}>
            ↓
          </Button>
        </>
      ) : null}
    </search>
  );
}
