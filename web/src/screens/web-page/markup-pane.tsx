import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** The markup of the selected place as the check reported it, and the path to it. */
export function MarkupPane({
  selection: { place },
  card,
}: {
  readonly selection: Selection;
  readonly card: ReactNode;
}) {
  if (place === undefined) {
    return (
      <EmptyState title="No issue is selected">
        <p>Select one to see the markup of its places.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {card}
      <div className={styles.markup}>
        <pre>
          <Highlighted place={place} />
        </pre>
        <CopyButton text={place.markup} title="Copy markup" />
      </div>
      {place.selector === null ? null : (
        <div className={styles.markup}>
          <pre>{place.selector}</pre>
          <CopyButton text={place.selector} title="Copy selector" />
        </div>
      )}
    </>
  );
}

/** The validator shows some of the code around a place. */
function Highlighted({ place }: { readonly place: NonNullable<Selection['place']> }) {
  if (place.validator === null) return place.markup;
  const { hilite_start: start, hilite_length: length } = place.validator.coordinates;
  return (
    <>
      {place.markup.slice(0, start)}
      <mark className={styles.highlight}>{place.markup.slice(start, start + length)}</mark>
      {place.markup.slice(start + length)}
    </>
  );
}
