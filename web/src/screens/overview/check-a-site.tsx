import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { reportDefaults } from 'sitewarden-client/report-defaults';
import { createReport } from '../../api/changes/reports.ts';
import type { Item } from '../../api/client.ts';
import { useForm } from '../../forms/use-form.tsx';
import { plural } from '../../lib/formats.ts';
import { completeUrl } from '../../lib/report-settings.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Field } from '../../parts/field.tsx';
import styles from './screen.module.css';

/** A form with one field that checks a site. */
export function CheckASite({
  account,
  isFirst,
}: {
  readonly account: Item<'account'>;
  /** Whether there are no sites yet, so that this is the first step. */
  readonly isFirst: boolean;
}) {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const defaults = reportDefaults(account);
  const form = useForm(async (fields) => {
    const starting_url = completeUrl(String(fields.get('starting_url')));
    const report = await createReport({ ...defaults, starting_url });
    await navigate({ to: `/reports/${report.id}` });
  });
  return (
    <form className={isFirst ? styles.first : styles.another} onSubmit={form.onSubmit} noValidate>
      {isFirst ? <h2>Check a site</h2> : null}
      <ErrorSummary errors={form.errors} />
      <Field
        label={isFirst ? 'Address' : 'Check another site'}
        name="starting_url"
        hint={isFirst ? hintFor(defaults.max_pages) : undefined}
        error={form.errorOf('starting_url')}
      >
        {(control) => (
          <input
            type="url"
            autoComplete="url"
            placeholder="https://"
            {...control}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <p className={styles.actions}>
        <Button type="submit" look={isFirst ? 'main' : 'plain'} isBusy={form.isBusy}>
          Start checking
        </Button>
        <Link to="/reports/new" search={url === '' ? {} : { url }}>
          All settings
        </Link>
      </p>
    </form>
  );
}

function hintFor(pages: number): string {
  return `A page, a sitemap or a list of URLs. Checks up to ${plural(pages, 'page')}.`;
}
