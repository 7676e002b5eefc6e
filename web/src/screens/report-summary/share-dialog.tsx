import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { shareReport } from '../../api/changes/reports.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { useReport } from '../../frame/report-context.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField } from '../../parts/field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import styles from './screen.module.css';

/** Opens the report to whoever has its link, or closes it. */
export function ShareDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Share this report"
      isOpen={isOpen}
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <ShareForm />
    </Dialog>
  );
}

function ShareForm() {
  const { report } = useReport();
  const queries = useQueryClient();
  const [isEnding, setEnding] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { queryKey } = reportQuery(report.id);
  const share = async (shared: boolean): Promise<void> => {
    setEnding(false);
    setRefusal(null);
    queries.setQueryData(queryKey, { ...report, shared });
    try {
      queries.setQueryData(queryKey, await shareReport(report.id, shared));
    } catch (error) {
      queries.setQueryData(queryKey, report);
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <CheckField
        label="Anyone with the link can read this report"
        name="shared"
        hint="Without an account: its pages, its issues and the markup around them. They can change nothing."
        checked={report.shared && !isEnding}
        onChange={() => (report.shared ? setEnding(!isEnding) : void share(true))}
      />
      {isEnding ? (
        <div className={styles.ending} role="alert">
          <p>The link stops working immediately. Sharing the report again creates a new one.</p>
          <Button look="danger" onClick={() => void share(false)}>
            End the sharing
          </Button>
        </div>
      ) : null}
      {refusal === null ? null : <ErrorNote title="This could not be done" detail={refusal} />}
      {report.shared && !isEnding ? <ShareLink url={report.share_url} /> : null}
    </>
  );
}

function ShareLink({ url }: { readonly url: string | undefined }) {
  if (url === undefined) return <p className={styles.soft}>Making the link…</p>;
  return (
    <div className={styles.ask}>
      <input type="text" readOnly aria-label="Link" value={url} onFocus={(event) => event.target.select()} />
      <CopyButton text={url} />
      <a href={url} target="_blank" rel="noreferrer">
        Open<span className="visually-hidden"> (in a new tab)</span>
      </a>
    </div>
  );
}
