import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { type Severity, SeverityGlyph } from '../parts/severity.tsx';
import styles from './attention.module.css';
import { NeedsCredentials } from './needs-credentials.tsx';
import { sinceWords, worseOf } from './site-numbers.tsx';
import { isOwn, newestOf } from './site-state.ts';

type Attention = Item<'site'>['attention'];

/** The reasons for attention other than counts of what got worse, as a sign and words. */
const NEEDS: Readonly<Partial<Record<Attention, { readonly of: Severity; readonly words: string }>>> = {
  failed: { of: 'failed', words: 'The run failed' },
  no_credits: { of: 'warning', words: 'Out of credits' },
  not_passed: { of: 'error', words: 'Did not pass' },
  has_errors: { of: 'error', words: 'Has errors' },
};

/** The status of a site that needs no attention. */
function Calm({ site }: { readonly site: Item<'site'> }) {
  const [last] = site.runs;
  if (last === undefined)
    return <span className="soft">{newestOf(site) === '' ? 'Not checked yet' : 'First run'}</span>;
  if (last.stopped) return <span className="soft">Stopped early</span>;
  return <span className="soft">{(last.now ?? last).errors === 0 ? 'No errors' : 'No new errors'}</span>;
}

/** Why a site needs attention, and what got worse, with links to the details. */
export function Attention({ site }: { readonly site: Item<'site'> }) {
  const { attention, needs_credentials: needsCredentials } = site;
  const [last] = site.runs;
  if (attention === 'none' && !needsCredentials) return <Calm site={site} />;
  const need = NEEDS[attention];
  const since = sinceWords(site);
  return (
    <span className={styles.needs}>
      {needsCredentials ? <NeedsCredentials path={isOwn(site) ? `/sites/${site.id}/settings` : null} /> : null}
      {attention === 'none' ? <Calm site={site} /> : null}
      {need === undefined ? null : (
        <Link
          to={attention === 'no_credits' ? '/account/credits' : `/reports/${last?.report_id}`}
          className={styles.need}
        >
          <SeverityGlyph of={need.of} /> {need.words}
        </Link>
      )}
      {worseOf(site).map(({ of, words, path, search }) => (
        <Link key={words} to={path} search={search} className={styles.need}>
          <SeverityGlyph of={of} /> {words}
        </Link>
      ))}
      {since === null ? null : <span className="soft small">{since}</span>}
    </span>
  );
}
