import { dateTime, plural } from '../../lib/formats.ts';
import { SeverityGlyph } from '../../parts/severity.tsx';
import styles from './screen.module.css';
import type { Receipt } from './use-recheck.ts';

/** What became of the places of a page in its re-check. */
export function ReceiptLine({ receipt, isRunning }: { readonly receipt: Receipt | null; readonly isRunning: boolean }) {
  return (
    <div role="status" className={receipt === null && !isRunning ? 'visually-hidden' : styles.receipt}>
      {isRunning ? (
        <>
          <SeverityGlyph of="running" /> Checking this page again. What you see is from before.
        </>
      ) : receipt === null ? null : (
        <>
          <span>Re-checked {dateTime(receipt.checkedAt)}:</span>
          <span>
            <SeverityGlyph of="passed" /> {plural(receipt.fixed, 'place')} fixed
          </span>
          <span>
            <SeverityGlyph of="error" /> {receipt.still} still there
          </span>
          <span>+ {receipt.added} new</span>
        </>
      )}
    </div>
  );
}
