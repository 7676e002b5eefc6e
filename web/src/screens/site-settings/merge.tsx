import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from 'sitewarden-client/errors';
import { siteDifferences } from 'sitewarden-client/site-differences';
import { mergeSite } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { sitesQuery } from '../../api/queries/sites.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { plural, shortUrl } from '../../lib/formats.ts';
import { useSettled } from '../../live/use-settled.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { useToast } from '../../parts/toast.tsx';
import { siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

type Site = Item<'site'>;

/** A button that merges a site into another site of the account. */
export function MergeButton({ site }: { readonly site: Site }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const [isOpen, setOpen] = useState(false);
  const name = siteName(site);
  const merge = async (fields: FormData): Promise<void> => {
    const into = fields.get('into');
    if (typeof into !== 'string') {
      throw new ApiError(422, [{ code: 'invalid', id: null, field: 'into', detail: 'Choose a site.' }]);
    }
    const other = await mergeSite(site.id, into);
    await navigate({ to: `/sites/${other.id}` });
    say(`${name} merged into ${siteName(other)}.`);
    queries.removeQueries({ queryKey: ['sites', site.id] });
    await Promise.all(
      ['sites', 'report', 'reports', 'schedules'].map((each) => queries.invalidateQueries({ queryKey: [each] })),
    );
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Merge…</Button>
      <FormDialog
        title={`Merge ${name} into another site`}
        action="Merge"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={merge}
      >
        {(errorOf) => (
          <>
            <p>
              {contentsOf(site)} The other site keeps its name, notes and settings, and {name} is removed. This cannot
              be undone.
            </p>
            <OtherSites site={site} errorOf={errorOf} />
          </>
        )}
      </FormDialog>
    </>
  );
}

/** Returns what a merge moves. */
function contentsOf({ num_reports: reports, num_schedules: schedules }: Site): string {
  const parts = [
    reports > 0 ? plural(reports, 'report') : [],
    schedules > 0 ? plural(schedules, 'schedule') : [],
  ].flat();
  if (parts.length === 0) return 'The site has no reports and no schedules to move.';
  return `Moves ${parts.join(' and ')} to the other site.`;
}

const othersMax = 20;

/** Finds the other sites of the account by name or address. */
function OtherSites({ site, errorOf }: { readonly site: Site; readonly errorOf: ErrorOf }) {
  const [text, setText] = useState('');
  const found = useQuery(
    sitesQuery({
      'filter[text]': useSettled(text.trim()) || undefined,
      'filter[archived]': 'all',
      sort: 'name',
      'page[size]': othersMax + 1,
    }),
  );
  const others = (found.data?.items ?? []).filter(({ id }) => id !== site.id).slice(0, othersMax);
  const differences = siteDifferences(others);
  const isMore = (found.data?.total ?? 0) > othersMax + 1;
  const error = errorOf('into');
  return (
    <>
      <Field label="Find a site" name="find" hint="Part of its name or address.">
        {(control) => (
          <input type="search" autoComplete="off" {...control} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      <fieldset className={styles.others}>
        <legend>Merge into</legend>
        {others.map((other) => (
          <label key={other.id} className={styles.choice}>
            <input type="radio" name="into" value={other.id} />
            <span>
              {siteName(other)}{' '}
              <span className="soft small">
                {[
                  other.name === '' ? '' : shortUrl(other.starting_url),
                  differences.get(other.id) ?? '',
                  plural(other.num_reports, 'report'),
                  other.archived ? 'archived' : '',
                ]
                  .filter((part) => part !== '')
                  .join(', ')}
              </span>
            </span>
          </label>
        ))}
        <p role="status" className="soft small">
          {found.data !== undefined && others.length === 0 ? 'No other sites match.' : null}
          {isMore ? `Only ${othersMax} sites are shown. Enter part of the name or address to find others.` : null}
        </p>
        {error === undefined ? null : <p className={styles.error}>{error}</p>}
      </fieldset>
    </>
  );
}
