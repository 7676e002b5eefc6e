import { useNavigate } from '@tanstack/react-router';
import { hasPro } from 'sitewarden-client/report-defaults';
import { deletePage } from '../../api/changes/web-page.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { shortUrl } from '../../lib/formats.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { useReader, useReport } from '../../report/report-context.tsx';
import type { Recheck } from './use-recheck.ts';

/** The actions on a page that the reader may take. */
export function PageActions({ page, recheck }: { readonly page: Item<'web_page'>; readonly recheck: Recheck }) {
  const { account, mayChange } = useReader();
  const mayDelete = mayChange && account !== undefined && hasPro(account);
  return (
    <>
      {mayChange ? (
        <Button isBusy={recheck.isBusy} onClick={recheck.isBusy ? undefined : recheck.start}>
          Re-check
        </Button>
      ) : null}
      <a href={page.reached_url ?? page.url} rel="noreferrer" target="_blank" className={buttonClass()}>
        Open
        <span aria-hidden="true"> ↗</span>
        <span className="visually-hidden"> the page in a new tab</span>
      </a>
      {mayDelete ? <DeletePage page={page} /> : null}
    </>
  );
}

function DeletePage({ page }: { readonly page: Item<'web_page'> }) {
  const { report, base } = useReport();
  const navigate = useNavigate();
  const isLast = report.num_pages === 1;
  const run = async (): Promise<void> => {
    await deletePage(report.id, page.id);
    await navigate({ to: isLast ? '/reports' : `${base}/pages` });
  };
  return (
    <AskButton
      label="Delete…"
      title={isLast ? 'Delete this page and the report?' : 'Delete this page?'}
      action={isLast ? 'Delete page and report' : 'Delete page'}
      run={run}
    >
      <p>
        {shortUrl(page.url)} and its issues will be removed from the report and its counts.{' '}
        {isLast
          ? 'It is the last page, so the report will also be deleted.'
          : 'The report will not include this URL again.'}{' '}
        This cannot be undone.
      </p>
    </AskButton>
  );
}
