import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { changeSite, tryJourney } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { SiteForm } from '../../forms/report-form/site-form.tsx';
import { StoredAccess } from '../../forms/stored-access.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { settingsOf } from '../../lib/report-settings.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useToast } from '../../parts/toast.tsx';
import { isOwn, siteName } from '../../report/site-state.ts';
import { SiteActions } from './actions.tsx';
import { LoginForm } from './login-form.tsx';
import styles from './screen.module.css';

/** The settings of a site, and the actions that change what it contains. */
export function SiteSettingsScreen() {
  const { site: id } = usePathParams('/sites/$site/settings');
  const account = useQuery(accountQuery);
  const site = useQuery(siteQuery(id));
  const back = <Link to={`/sites/${id}`}>‹ {site.data === undefined ? 'Site' : siteName(site.data)}</Link>;
  return (
    <>
      <PageHead title="Site settings" back={back}>
        Changes apply to the next runs. Existing reports keep their settings. Schedules change with the site, except
        where they have other settings.
      </PageHead>
      <QueryView query={site}>
        {(data) =>
          isOwn(data) ? (
            <QueryView query={account}>
              {(owner) => (
                <>
                  <Form key={id} account={owner} site={data} />
                  <div className={styles.login}>
                    <LoginForm key={`login ${id}`} site={data} />
                  </div>
                  <SiteActions site={data} />
                </>
              )}
            </QueryView>
          ) : (
            <EmptyState title="Only its owner can change this site" />
          )
        }
      </QueryView>
    </>
  );
}

function Form({ account, site }: { readonly account: Item<'account'>; readonly site: Item<'site'> }) {
  const queries = useQueryClient();
  const say = useToast();
  const [saved, setSaved] = useState(0);
  const save = async (attributes: FormAttributes): Promise<void> => {
    queries.setQueryData(siteQuery(site.id).queryKey, await changeSite(site.id, attributes));
    await queries.invalidateQueries({ queryKey: ['sites'] });
    say('Saved.');
    setSaved(saved + 1);
  };
  return (
    <SiteForm
      // The entered credentials are stored now, and their fields are empty again.
      key={saved}
      account={account}
      initial={{ ...settingsOf(site), signs_in: site.signs_in }}
      name={site.name}
      notes={site.notes}
      access={site.signs_in ? <StoredAccess isUnreadable={site.needs_credentials} /> : null}
      tryJourney={(journey) => tryJourney(site.id, journey)}
      asksToLeave
      submitTitle="Save"
      onSubmit={save}
    />
  );
}
