import { API } from 'sitewarden-client';
import { download } from '../api/client.ts';
import { useChange } from '../live/use-change.ts';
import { MENU_ITEM, Menu } from '../parts/menu.tsx';
import { useToast } from '../parts/toast.tsx';
import { useReport } from './report-context.tsx';

/** The export formats, formats for people first. */
const FORMATS: Readonly<Record<string, string>> = {
  pdf: 'PDF',
  html: 'Web page',
  xlsx: 'Excel',
  csv: 'CSV',
  md: 'Markdown',
  json: 'JSON',
  sarif: 'SARIF',
  junit: 'JUnit',
  earl: 'EARL',
  openacr: 'OpenACR draft',
  statement: 'Accessibility statement draft',
};

/** Downloads the open report as a file. Empty until the report has ended. */
export function DownloadMenu() {
  const { report } = useReport();
  if (report.status !== 'finished' && report.status !== 'failed') return null;
  return (
    <Menu label="Download">
      {Object.entries(FORMATS).map(([format, title]) => (
        <DownloadItem key={format} path={`/reports/${report.id}/export?format=${format}`} title={title} />
      ))}
    </Menu>
  );
}

/**
 * A link, so that the browser writes the file to disk as it arrives. With a share link, a button: links cannot send the secret.
 */
function DownloadItem({ path, title }: { readonly path: string; readonly title: string }) {
  const { isShared } = useReport();
  const say = useToast();
  const change = useChange();
  const announce = (): void => say(`Downloading report: ${title}`);
  if (!isShared) {
    return (
      <a {...MENU_ITEM} href={API + path} download onClick={announce}>
        {title}
      </a>
    );
  }
  const start = (): void => {
    announce();
    void change(() => download(path));
  };
  return (
    <button {...MENU_ITEM} type="button" onClick={start}>
      {title}
    </button>
  );
}
