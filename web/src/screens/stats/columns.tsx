import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { Spark } from '../../charts/spark.tsx';
import { average, count, percent, shortUrl } from '../../lib/formats.ts';
import type { Group } from '../../lib/stat-series.ts';
import type { Column } from '../../parts/data-table.tsx';
import { errorsPerPage, type Metric } from './metrics.ts';

type Stat = Item<'stat'>;

/** Returns the columns of the newest statistics of each group. */
export function groupColumns(metric: Metric, nameOf: (group: Group<Stat>) => string): readonly Column<Group<Stat>>[] {
  return [
    { key: 'name', title: 'Name', isMain: true, cell: (group) => <Name stat={group.last} name={nameOf(group)} /> },
    { key: 'interval', title: 'Interval', cell: ({ last }) => last.interval },
    { key: 'reports', title: 'Reports', isNumber: true, cell: ({ last }) => count(last.reports) },
    { key: 'pages', title: 'Pages found', isNumber: true, cell: ({ last }) => count(last.web_pages) },
    {
      key: 'errors',
      title: 'Errors per page',
      isNumber: true,
      cell: ({ last }) => numberOf(errorsPerPage(last), average),
    },
    {
      key: 'passing',
      title: 'Pages passing',
      isNumber: true,
      cell: ({ last: { passed, checked } }) =>
        checked === 0 ? null : `${count(passed)} of ${count(checked)}, ${percent(passed, checked)}%`,
    },
    {
      key: 'trend',
      title: 'Trend',
      isExtra: true,
      cell: (group) => <Trend group={group} name={nameOf(group)} metric={metric} />,
    },
  ];
}

function Name({
  stat: { related, site_name: siteName, name: url },
  name,
}: {
  readonly stat: Stat;
  readonly name: string;
}) {
  if (related.site === undefined) return name;
  return (
    <>
      <Link to={related.site}>{name}</Link>{' '}
      {siteName === '' ? null : <span className="soft small">{shortUrl(url)}</span>}
    </>
  );
}

function Trend({
  group: { stats },
  name,
  metric,
}: {
  readonly group: Group<Stat>;
  readonly name: string;
  readonly metric: Metric;
}) {
  const values = stats.flatMap((stat) => (stat === null ? [] : [metric.read(stat)])).filter((value) => value !== null);
  if (values.length < 2) return null;
  return <Spark values={values} label={`${metric.title}, ${name}: ${values.map(metric.format).join(', ')}`} />;
}

interface Interval {
  readonly day: string;
  readonly name: string;
  /** By group key. */
  readonly stats: ReadonlyMap<string, Stat | null>;
}

/** Returns the columns of a table of intervals, with one column per group. */
export function intervalColumns(
  groups: readonly { readonly key: string; readonly name: string }[],
  metric: Metric,
): readonly Column<Interval>[] {
  return [
    { key: 'interval', title: 'Interval', isMain: true, cell: ({ name }) => name },
    ...groups.map(({ key, name }) => ({
      key,
      title: name,
      isNumber: true,
      cell: ({ stats }: Interval) => {
        const stat = stats.get(key) ?? null;
        return stat === null ? null : numberOf(metric.read(stat), metric.format);
      },
    })),
  ];
}

function numberOf(value: number | null, format: (value: number) => string): string | null {
  return value === null ? null : format(value);
}
