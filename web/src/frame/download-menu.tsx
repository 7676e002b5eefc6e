import { download } from '../api/client.ts';
import { Menu } from '../parts/menu.tsx';
import { useToast } from '../parts/toast.tsx';
import { useReport } from './report-context.tsx';
import { useChange } from './use-change.ts';

/** The formats of exports, those for people first. */
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
};

/** Downloads the open report as a file, once it has ended. */
export function DownloadMenu() {
  const { report } = useReport();
  const say = useToast();
  const change = useChange();
  if (report.status !== 'finished' && report.status !== 'failed') return null;
  const start = (format: string, title: string): void => {
    say(`Downloading the report: ${title}`);
    void change(() => download(`/reports/${report.id}/export?format=${format}`));
  };
  return (
    <Menu label="Download">
      {Object.entries(FORMATS).map(([format, title]) => (
        <li key={format}>
          <button type="button" onClick={() => start(format, title)}>
            {title}
          </button>
        </li>
      ))}
    </Menu>
  );
}
