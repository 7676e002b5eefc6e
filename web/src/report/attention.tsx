import { Link } from '@tanstack/react-router';
import { hasFirstErrors } from 'sitewarden-client/site-attention';
import type { Item } from '../api/client.ts';
import { plural } from '../lib/formats.ts';
import { type Severity, SeverityGlyph } from '../parts/severity.tsx';
import styles from './attention.module.css';
import { newestOf } from './site-state.ts';

type Need = Exclude<Item<'site'>['attention'], 'none'>;

/** Why a site needs attention: a sign, words, and a path relative to the report. */
const NEEDS: Readonly<Record<Need, { readonly of: Severity; readonly words: string; readonly path: string }>> = {
  failed: { of: 'failed', words: 'The run failed', path: '' },
  broken_pages: { of: 'failed', words: 'Pages broke', path: '/changes' },
  new_critical: { of: 'critical', words: 'Critical errors new or back', path: '/changes' },
  new_errors: { of: 'error', words: 'Errors new or back', path: '/changes' },
  no_credits: { of: 'warning', words: 'Out of credits', path: '' },
  not_passed: { of: 'error', words: 'Did not pass', path: '' },
};

/**
 * The status of a site that needs no attention. Its first report has no new errors, so existing errors link to what to fix first.
 */
function Calm({ site }: { readonly site: Item<'site'> }) {
  const [last] = site.runs;
  if (last === undefined)
    return <span className="soft">{newestOf(site) === '' ? 'Not checked yet' : 'First run'}</span>;
  if (last.stopped) return <span className="soft">Stopped early</span>;
  if (last.errors === 0) return <span className="soft">No errors</span>;
  if (!hasFirstErrors(site)) return <span className="soft">No new errors</span>;
  return (
    <Link to={`/reports/${last.report_id}`} className={styles.need}>
      <SeverityGlyph of="error" /> Has errors
    </Link>
  );
}

/** Why a site needs attention, with a link to the details. */
export function Attention({ site }: { readonly site: Item<'site'> }) {
  const { attention, change } = site;
  const [last] = site.runs;
  if (attention === 'none') return <Calm site={site} />;
  const { of, words, path } = NEEDS[attention];
  const broken = change?.broken_pages ?? 0;
  return (
    <Link
      to={attention === 'no_credits' ? '/account/credits' : `/reports/${last?.report_id}${path}`}
      className={styles.need}
    >
      <SeverityGlyph of={of} /> {attention === 'broken_pages' ? `${plural(broken, 'page')} broke` : words}
    </Link>
  );
}
