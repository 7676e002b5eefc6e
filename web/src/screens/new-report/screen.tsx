import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { reportDefaults } from 'sitewarden-client/report-defaults';
import { createReport } from '../../api/changes/reports.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { ReportForm } from '../../forms/report-form/report-form.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { shortUrl } from '../../lib/formats.ts';
import { settingsOf } from '../../lib/report-settings.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { PageHead } from '../../parts/page-head.tsx';

/** Starts a report, optionally with the settings of another report. */
export function NewReportScreen() {
  const { search } = useSearchState('/reports/new');
  const from = search.from;
  const account = useQuery(accountQuery);
  const copied = useQuery({ ...reportQuery(from ?? ''), enabled: from !== undefined });
  return (
    <>
      <PageHead title="New report">{copied.data === undefined ? null : <CopiedFrom report={copied.data} />}</PageHead>
      <QueryView query={account}>
        {(data) =>
          from === undefined ? (
            <Form account={data} initial={{ ...reportDefaults(data), ...startingAt(search.url) }} access={null} />
          ) : (
            <QueryView query={copied}>
              {(report) => (
                <Form
                  key={from}
                  account={data}
                  initial={settingsOf(report)}
                  access={
                    report.signs_in ? (
                      <p>The original report signed in to the site. Enter the credentials again.</p>
                    ) : null
                  }
                />
              )}
            </QueryView>
          )
        }
      </QueryView>
    </>
  );
}

function CopiedFrom({ report }: { readonly report: Item<'report'> }) {
  return (
    <span>
      Settings copied from <Link to={`/reports/${report.id}`}>{shortUrl(report.starting_url)}</Link>
      {report.signs_in ? '. Enter the credentials for the site again, because they are never shown' : null}
    </span>
  );
}

function Form({
  account,
  initial,
  access,
}: {
  readonly account: Item<'account'>;
  readonly initial: FormAttributes;
  readonly access: React.ReactNode;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const start = async (attributes: FormAttributes, key: string): Promise<void> => {
    const report = await createReport(attributes, key);
    queries.setQueryData(reportQuery(report.id).queryKey, report);
    void queries.invalidateQueries({ queryKey: ['reports'] });
    void queries.invalidateQueries({ queryKey: ['sites'] });
    await navigate({ to: `/reports/${report.id}` });
  };
  return (
    <ReportForm account={account} initial={initial} access={access} submitTitle="Start checking" onSubmit={start} />
  );
}

/** The starting URL that was already entered. */
function startingAt(url: string | undefined): Partial<FormAttributes> {
  return url === undefined ? {} : { starting_url: url };
}
