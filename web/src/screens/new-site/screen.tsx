import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { reportDefaults } from 'sitewarden-client/report-defaults';
import { createSite } from '../../api/changes/sites.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { SiteForm } from '../../forms/report-form/site-form.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { QueryView } from '../../live/query-view.tsx';
import { PageHead } from '../../parts/page-head.tsx';

/** Creates a site without checking it. */
export function NewSiteScreen() {
  const account = useQuery(accountQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = async (attributes: FormAttributes, key: string): Promise<void> => {
    const site = await createSite(attributes, key);
    queries.setQueryData(siteQuery(site.id).queryKey, site);
    await queries.invalidateQueries({ queryKey: ['sites'] });
    await navigate({ to: `/sites/${site.id}` });
  };
  return (
    <>
      <PageHead title="New site" back={<Link to="/">‹ Overview</Link>}>
        Nothing is checked until you run the site or create a schedule for it.
      </PageHead>
      <QueryView query={account}>
        {(data) => <SiteForm account={data} initial={reportDefaults(data)} submitTitle="Create site" onSubmit={save} />}
      </QueryView>
    </>
  );
}
