import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteReport, shareReport } from '../../api/changes/reports.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { AskDialog } from '../../forms/ask-dialog.tsx';
import { useFailure } from '../../forms/use-failure.ts';
import { plural, reasonOf, shortUrl } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField } from '../../parts/field.tsx';
import { MENU_ITEM, Menu } from '../../parts/menu.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { useToast } from '../../parts/toast.tsx';
import { DownloadMenu } from '../../report/download-menu.tsx';
import { useReader, useReport } from '../../report/report-context.tsx';
import { useRunAgain } from '../../report/use-run-again.ts';
import styles from './screen.module.css';

type Open = 'share' | 'delete' | null;

/** The actions on a report. Readers of a shared report can start their own with its settings. */
export function ReportActions() {
  const { report, isShared } = useReport();
  const { mayChange } = useReader();
  const runAgain = useRunAgain({ opens: true });
  const [isStarting, setStarting] = useState(false);
  const [dialog, setDialog] = useState<Open>(null);
  if (isShared) return null;
  const start = async (): Promise<void> => {
    setStarting(true);
    await runAgain([report.id]).finally(() => setStarting(false));
  };
  const close = (): void => setDialog(null);
  return (
    <>
      {mayChange ? <Button onClick={() => setDialog('share')}>Share…</Button> : null}
      <Button isBusy={isStarting} onClick={() => (isStarting ? undefined : void start())}>
        Run again
      </Button>
      <DownloadMenu />
      <Menu label="More">
        <Link {...MENU_ITEM} to="/reports/new" search={{ from: report.id }}>
          Copy settings to a new report
        </Link>
        {mayChange ? (
          <button {...MENU_ITEM} type="button" onClick={() => setDialog('delete')}>
            Delete…
          </button>
        ) : null}
      </Menu>
      <ShareDialog isOpen={dialog === 'share'} onClose={close} />
      <DeleteDialog isOpen={dialog === 'delete'} onClose={close} />
    </>
  );
}

function DeleteDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { report } = useReport();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const run = async (): Promise<void> => {
    await deleteReport(report.id);
    await navigate({ to: '/reports' });
    queries.removeQueries({ queryKey: ['report', report.id] });
    await queries.invalidateQueries({ queryKey: ['reports'] });
    say(`Report of ${shortUrl(report.starting_url)} deleted.`);
  };
  return (
    <AskDialog title="Delete this report?" action="Delete report" isOpen={isOpen} onClose={onClose} run={run}>
      <p>
        This permanently deletes the report of {shortUrl(report.starting_url)} with its{' '}
        {plural(report.num_pages, 'page')} and all issues. {report.shared ? 'Its share link stops working.' : ''}
      </p>
    </AskDialog>
  );
}

/** Starts or stops sharing the report. */
function ShareDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
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
  const [refusal, setRefusal] = useFailure();
  const { queryKey } = reportQuery(report.id);
  const share = async (shared: boolean): Promise<void> => {
    setEnding(false);
    setRefusal(null);
    queries.setQueryData(queryKey, { ...report, shared });
    try {
      queries.setQueryData(queryKey, await shareReport(report.id, shared));
    } catch (error) {
      queries.setQueryData(queryKey, report);
      setRefusal(error);
    }
  };
  return (
    <>
      <CheckField
        label="Anyone with the link can read this report"
        name="shared"
        hint="Readers need no account. They see its pages, its issues and the markup around them, but cannot change anything."
        checked={report.shared && !isEnding}
        onChange={() => (report.shared ? setEnding(!isEnding) : void share(true))}
      />
      {isEnding ? (
        <div className={styles.ending} role="alert">
          <p>The link stops working immediately. If you share the report again, it gets a new link.</p>
          <Button look="danger" onClick={() => void share(false)}>
            Stop sharing
          </Button>
        </div>
      ) : null}
      {refusal === null ? null : <ErrorNote title="This action failed" detail={reasonOf(refusal)} />}
      {report.shared && !isEnding ? <ShareLink url={report.share_url} /> : null}
    </>
  );
}

function ShareLink({ url }: { readonly url: string | undefined }) {
  if (url === undefined) return <p className="soft small">Creating link…</p>;
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
