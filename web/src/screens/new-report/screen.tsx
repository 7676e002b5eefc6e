import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { reportDefaults } from 'sitewarden-client/report-defaults';
import { createReport } from '../../api/changes/reports.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { ReportForm } from '../../forms/report-form/report-form.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CredentialsAgain } from '../../report/credentials-again.tsx';
import { type Copied, useCopied } from '../../report/use-copied.ts';
import { KnownSite } from './known-site.tsx';

/** Starts a report, optionally with the settings of a site or another report. */
export function NewReportScreen() {
  const { search } = useSearchState('/reports/new');
  const account = useQuery(accountQuery);
  const copied = useCopied(search);
  return (
    <>
      <PageHead title="New report">{copied?.data === undefined ? null : <CopiedFrom copied={copied.data} />}</PageHead>
      <QueryView query={account}>
        {(data) =>
          copied === null ? (
            <Form account={data} initial={{ ...reportDefaults(data), ...startingAt(search.url) }} />
          ) : (
            <QueryView query={copied}>
              {(source) => <Form key={source.path} account={data} initial={source.settings} copied={source} />}
            </QueryView>
          )
        }
      </QueryView>
    </>
  );
}

function CopiedFrom({ copied: { name, path, site, signsIn, hasLogin } }: { readonly copied: Copied }) {
  return (
    <span>
      {site === null ? 'Settings copied from ' : 'A report with the settings of the site '}
      <Link to={path}>{name}</Link>
      {signsIn && !hasLogin
        ? `. ${site === null ? 'If the site has no login form, enter' : 'Enter'} the credentials for the site again, because they are never shown`
        : null}
    </span>
  );
}

function Form({
  account,
  initial,
  copied,
}: {
  readonly account: Item<'account'>;
  readonly initial: FormAttributes;
  readonly copied?: Copied;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const site = copied?.site ?? null;
  const start = async (attributes: FormAttributes, key: string): Promise<void> => {
    const report = await createReport({ ...attributes, ...(site !== null && { site_id: site }) }, key);
    queries.setQueryData(reportQuery(report.id).queryKey, report);
    void queries.invalidateQueries({ queryKey: ['reports'] });
    void queries.invalidateQueries({ queryKey: ['sites'] });
    await navigate({ to: `/reports/${report.id}` });
  };
  return (
    <ReportForm
      account={account}
      initial={initial}
      access={copied === undefined ? null : <CredentialsAgain copied={copied} />}
      noteOn={(url) => (site === null ? <KnownSite url={url} /> : null)}
      submitTitle="Start checking"
      onSubmit={start}
    />
  );
}

/** The starting URL that was already entered. */
function startingAt(url: string | undefined): Partial<FormAttributes> {
  return url === undefined ? {} : { starting_url: url };
}
