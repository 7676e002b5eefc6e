import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { schedulesQuery } from '../../api/queries/schedules.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { NextRun } from '../../frame/schedule-runs.tsx';
import { whenOf } from '../../lib/schedules.ts';
import { Section } from '../../parts/section.tsx';
import styles from './screen.module.css';

/** The schedules whose reports are of a site, and those of its address that have not run. */
export function SiteSchedules({ site }: { readonly site: Item<'site'> }) {
  const schedules = useQuery(schedulesQuery({ 'filter[url]': site.starting_url, 'page[size]': 100 }));
  return (
    <Section title="Schedules">
      <QueryView query={schedules} rows={2}>
        {({ items }) => {
          const own = items.filter(
            ({ related, starting_url: url }) =>
              url === site.starting_url && (related.site === undefined || related.site === `/sites/${site.id}`),
          );
          if (own.length === 0) return <p className={styles.soft}>None: it runs only when someone starts it.</p>;
          return (
            <ul className={styles.list}>
              {own.map((schedule) => (
                <li key={schedule.id}>
                  <Link to={`/schedules/${schedule.id}`}>Runs {whenOf(schedule.periodicity)}</Link>, next:{' '}
                  <NextRun schedule={schedule} />
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </Section>
  );
}
