import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { changeSite, deleteSite } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { plural } from '../../lib/formats.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';
import { siteName } from '../../report/site-state.ts';
import { MergeButton } from './merge.tsx';
import styles from './screen.module.css';

/** Archives, merges or deletes a site. */
export function SiteActions({ site }: { readonly site: Item<'site'> }) {
  return (
    <div className={styles.sections}>
      <Section title="Share">
        <p>A share link shows the newest full report, and all earlier ones, to people without an account.</p>
        <div>
          <Link to="/sharing" search={{ site: site.id }}>
            Share links of this site
          </Link>
        </div>
      </Section>
      <Archive site={site} />
      <Section title="Merge">
        <p>
          If two sites are one website, for example after its address has changed, merge them: their reports become one
          history.
        </p>
        <div>
          <MergeButton site={site} />
        </div>
      </Section>
      <Delete site={site} />
    </div>
  );
}

function Archive({ site }: { readonly site: Item<'site'> }) {
  const queries = useQueryClient();
  const change = useChange();
  const say = useToast();
  const { id, archived } = site;
  const archive = (): Promise<boolean> =>
    change(async () => {
      queries.setQueryData(siteQuery(id).queryKey, await changeSite(id, { archived: !archived }));
      await Promise.all(['sites', 'schedules'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
      say(archived ? 'Site restored.' : 'Site archived.');
    });
  return (
    <Section title="Archive">
      <p>
        {archived
          ? 'This site is archived: lists leave it out, and its schedules do not run.'
          : 'Lists leave out archived sites, and their schedules do not run. Nothing is deleted.'}
      </p>
      <div>
        <Button onClick={() => void archive()}>{archived ? 'Restore site' : 'Archive site'}</Button>
      </div>
    </Section>
  );
}

function Delete({ site }: { readonly site: Item<'site'> }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const name = siteName(site);
  const remove = async (): Promise<void> => {
    await deleteSite(site.id);
    await navigate({ to: '/' });
    say(`${name} deleted.`);
    queries.removeQueries({ queryKey: ['sites', site.id] });
    await Promise.all(['sites', 'reports', 'schedules'].map((each) => queries.invalidateQueries({ queryKey: [each] })));
  };
  return (
    <Section title="Delete">
      <p>{deletionOf(site)}</p>
      <div>
        <AskButton label="Delete site…" look="danger" title={`Delete ${name}?`} action="Delete site" run={remove}>
          <p>{deletionOf(site)} This cannot be undone.</p>
        </AskButton>
      </div>
    </Section>
  );
}

/** Returns what is deleted with a site. */
function deletionOf({ num_reports: reports, num_web_pages: pages, num_schedules: schedules }: Item<'site'>): string {
  const scheduled = schedules === 0 ? '' : plural(schedules, 'schedule');
  if (reports === 0) return scheduled === '' ? 'The site has no reports.' : `Also deletes ${scheduled}.`;
  const reported = `${plural(reports, 'report')} with ${plural(pages, 'page')}`;
  return `Deletes ${reported}${scheduled === '' ? '' : ` and ${scheduled}`}.`;
}
