import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { measureWords } from 'sitewarden-client/standards';
import type { Item } from '../../api/client.ts';
import { sitesQuery } from '../../api/queries/sites.ts';
import { useSettled } from '../../live/use-settled.ts';
import { siteName } from '../../report/site-state.ts';
import styles from './known-site.module.css';

const typingMs = 300;

/** Says which settings apply if a site with the entered address exists, with a link to a form with the settings of the site. */
export function KnownSite({ url }: { readonly url: string }) {
  const address = addressOf(url);
  const host = useSettled(hostIn(url), typingMs);
  const sites = useQuery({ ...sitesQuery({ 'filter[url]': host, 'page[size]': 100 }), enabled: host !== '' });
  const site = host === '' ? undefined : sites.data?.items.find((each) => addressOf(each.starting_url) === address);
  return <div role="status">{site === undefined ? null : <Note site={site} />}</div>;
}

function Note({ site }: { readonly site: Item<'site'> }) {
  const standard = measureWords(site);
  return (
    <p className={styles.note}>
      This address belongs to the site <strong>{siteName(site)}</strong>
      {standard === '' ? ', which has no standard' : `, which has the standard ${standard}`}. The report uses the
      settings in this form, not the settings of the site.{' '}
      <Link to="/reports/new" search={{ site: site.id }}>
        Use the settings of the site
      </Link>
    </p>
  );
}

/** Returns what identifies a site: http and https are the same. Empty for incomplete input. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/^https?:/, '').replace(/#.*$/, '') : '';
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
