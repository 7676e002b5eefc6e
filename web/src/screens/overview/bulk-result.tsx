import type { BulkOutcome } from '../../api/changes/bulk.ts';
import { count, plural } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import styles from './bulk.module.css';

/** What an action on several sites did. */
export interface BulkResultOf {
  readonly outcome: BulkOutcome;
  /** What was done, as in `Changed 12 sites`. */
  readonly verb: string;
}

/** Says what an action did, and which sites were refused and why. Screen readers read it when it appears. */
export function BulkResult({
  result,
  onClose,
}: {
  /** Null before the first action. */
  readonly result: BulkResultOf | null;
  readonly onClose: () => void;
}) {
  return (
    <div role="status">
      {result === null ? null : (
        <div className={styles.result}>
          <p>{wordsOf(result)}</p>
          {result.outcome.refused.length === 0 ? null : (
            <ul className={styles.refused}>
              {[...Map.groupBy(result.outcome.refused, ({ message }) => message)].map(([message, sites]) => (
                <li key={message}>
                  <strong>{message}</strong> {sites.map(({ name, site_id: id }) => name || id).join(', ')}
                </li>
              ))}
            </ul>
          )}
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
    </div>
  );
}

function wordsOf({ verb, outcome: { done, unchanged, refused, failure } }: BulkResultOf): string {
  const others = [
    ...(unchanged === 0 ? [] : [`${count(unchanged)} already had these settings`]),
    ...(refused.length === 0 ? [] : [`${count(refused.length)} ${refused.length === 1 ? 'was' : 'were'} refused`]),
  ];
  const all = [done === 0 ? 'Nothing was changed' : `${verb} ${plural(done, 'site')}`, ...others].join(', ');
  return failure === null
    ? `${all}.`
    : `${all}. Then the operation stopped: ${failure.message} The other sites were not changed.`;
}
