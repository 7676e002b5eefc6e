import type { Item } from '../../api/client.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import styles from './screen.module.css';

/** Why checks of a page failed, and their remarks. */
export function FailedChecks({ page }: { readonly page: Item<'web_page'> }) {
  const checks = KIND_NAMES.flatMap((kind) => {
    const check = page[KINDS[kind].check];
    return check == null ? [] : [{ title: KINDS[kind].title, ...check }];
  });
  const failed = checks.filter(({ status }) => status === 'failed');
  const reasons = new Set(failed.map(({ error }) => error));
  const notes = checks.filter(({ note }) => note !== null);
  return (
    <>
      {failed.length === 0 ? null : (
        <div className={styles.failed}>
          <h2>{failed.length === checks.length ? 'This page could not be checked' : 'Some checks failed'}</h2>
          {reasons.size === 1 && failed.length === checks.length ? (
            <p>{failed[0]?.error}</p>
          ) : (
            <ul>
              {failed.map(({ title, error }) => (
                <li key={title}>
                  {title}: {error}
                </li>
              ))}
            </ul>
          )}
          {page.linked_from === null ? null : (
            <p>
              Linked from{' '}
              <a href={page.linked_from} rel="noreferrer" target="_blank">
                {page.linked_from}
                <span className="visually-hidden"> (opens in a new tab)</span>
              </a>
            </p>
          )}
        </div>
      )}
      {notes.map(({ title, note }) => (
        <p key={title} className={styles.soft}>
          {title}: {note}
        </p>
      ))}
    </>
  );
}
