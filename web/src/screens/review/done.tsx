import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { VERDICTS } from 'sitewarden-client/values';
import { siteIdOf } from '../../api/client.ts';
import { scopeWords, VERDICT_WORDS } from '../../lib/decisions.ts';
import { plural } from '../../lib/formats.ts';
import { verdictsIn } from '../../lib/triage.ts';
import { useKeys } from '../../live/use-keys.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { messageOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';
import type { Triage } from './use-triage.ts';

const NOTHING = {
  review: 'Nothing needs review',
  errors: 'No undecided errors',
  later: 'Nothing is marked for later',
} as const;

/** The end of the queue: what was decided, or that there was nothing to decide. */
export function Done({ choice, triage }: { readonly choice: keyof typeof NOTHING; readonly triage: Triage }) {
  const { made, more, refused } = triage;
  const scope = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const last = made.at(-1);
  const undo = (): void => (last === undefined ? undefined : triage.undo(last));
  useKeys(scope, [{ key: 'u', title: 'Undo the last decision', run: undo }]);
  // The controls that had the focus are gone.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div ref={scope}>
      {refused === null ? null : <ErrorNote title="A decision could not be changed" detail={refused.reason} />}
      {made.length === 0 ? (
        <EmptyState title={NOTHING[choice]}>
          <Ways />
        </EmptyState>
      ) : (
        <>
          <h3 ref={heading} tabIndex={-1} className={styles.title}>
            {more > 0 ? 'These causes are decided' : 'All decided'}
          </h3>
          <p>
            You made {plural(made.length, 'decision')}: {countsOf(triage)}.
            {more > 0 ? ` ${plural(more, 'more cause is', 'more causes are')} not shown yet.` : ''}
          </p>
          <p className={styles.ways}>
            {more > 0 ? (
              <Button look="main" onClick={() => void triage.readAgain()}>
                Show more
              </Button>
            ) : null}
            <Button onClick={undo}>Undo the last decision</Button>
            <Ways />
          </p>
          <ol className={styles.made}>
            {made.map((entry) => (
              <li key={entry.id}>
                <strong>{VERDICT_WORDS[entry.verdict].title}</strong>: {messageOf(entry.cause.issue)},{' '}
                {scopeWords(entry.scope, entry.cause.kind).words} <code>{entry.occurrence.markup}</code>
                {entry.note === '' ? null : ` “${entry.note}”`}
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function Ways() {
  const { report, base } = useReport();
  const site = siteIdOf(report);
  return (
    <>
      <Link to={base} className={buttonClass()}>
        Summary
      </Link>
      <Link to={`/sites/${site}/decisions`} className={buttonClass()}>
        Decisions about this site
      </Link>
    </>
  );
}

function countsOf({ made }: Triage): string {
  const counts = verdictsIn(made);
  return VERDICTS.filter((verdict) => counts.has(verdict))
    .map((verdict) => `${counts.get(verdict)} ${VERDICT_WORDS[verdict].words}`)
    .join(', ');
}
