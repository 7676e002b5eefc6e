import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteReport } from '../../api/changes/reports.ts';
import { AskDialog } from '../../frame/ask-dialog.tsx';
import { DownloadMenu } from '../../frame/download-menu.tsx';
import { mayChange, useReport } from '../../frame/report-context.tsx';
import { useRunAgain } from '../../frame/use-run-again.ts';
import { plural, shortUrl } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useToast } from '../../parts/toast.tsx';
import { ShareDialog } from './share-dialog.tsx';

type Open = 'share' | 'delete' | null;

/** What can be done with a report. Readers of a shared one may start their own with its settings. */
export function ReportActions() {
  const open = useReport();
  const { report } = open;
  const runAgain = useRunAgain();
  const [isStarting, setStarting] = useState(false);
  const [dialog, setDialog] = useState<Open>(null);
  if (open.isShared) return null;
  const start = async (): Promise<void> => {
    setStarting(true);
    await runAgain([report.id]).finally(() => setStarting(false));
  };
  const isOwn = mayChange(open);
  const close = (): void => setDialog(null);
  return (
    <>
      {isOwn ? <Button onClick={() => setDialog('share')}>Share…</Button> : null}
      <Button isBusy={isStarting} onClick={() => (isStarting ? undefined : void start())}>
        Run again
      </Button>
      <DownloadMenu />
      <Menu label="More">
        <li>
          <Link to="/reports/new" search={{ from: report.id }}>
            Copy settings to a new report
          </Link>
        </li>
        {isOwn ? (
          <li>
            <button type="button" onClick={() => setDialog('delete')}>
              Delete…
            </button>
          </li>
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
    say(`The report of ${shortUrl(report.starting_url)} is deleted.`);
  };
  return (
    <AskDialog title="Delete this report?" action="Delete the report" isOpen={isOpen} onClose={onClose} run={run}>
      <p>
        The report of {shortUrl(report.starting_url)} with its {plural(report.num_pages, 'page')} and all that was found
        is deleted permanently. {report.shared ? 'Its shared link stops working.' : ''}
      </p>
    </AskDialog>
  );
}
