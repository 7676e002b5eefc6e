import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** The markup of the selected occurrence, and its selector. */
export function MarkupPane({
  selection: { occurrence },
  card,
}: {
  readonly selection: Selection;
  readonly card: ReactNode;
}) {
  if (occurrence === undefined) {
    return (
      <EmptyState title="No issue selected">
        <p>Select an issue to see the markup of its occurrences.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {card}
      <div className={styles.markup}>
        <pre>
          <Highlighted occurrence={occurrence} />
        </pre>
        <CopyButton text={occurrence.markup} title="Copy markup" />
      </div>
      {occurrence.selector === null ? null : (
        <div className={styles.markup}>
          <pre>{occurrence.selector}</pre>
          <CopyButton text={occurrence.selector} title="Copy selector" />
        </div>
      )}
    </>
  );
}

/** The validator includes some of the code around an occurrence. */
function Highlighted({ occurrence }: { readonly occurrence: NonNullable<Selection['occurrence']> }) {
  if (occurrence.validator === null) return occurrence.markup;
  const { hilite_start: start, hilite_length: length } = occurrence.validator.coordinates;
  return (
    <>
      {occurrence.markup.slice(0, start)}
      <mark className={styles.highlight}>{occurrence.markup.slice(start, start + length)}</mark>
      {occurrence.markup.slice(start + length)}
    </>
  );
}
