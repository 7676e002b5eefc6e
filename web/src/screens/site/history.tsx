import type { Item } from '../../api/client.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { average, count, dateTime, percent, timeOf } from '../../lib/formats.ts';
import { MARK_NAMES } from '../../lib/mark-names.ts';
import { MARKS, marksOf } from '../../lib/run-marks.ts';
import { items } from '../../lib/search.ts';
import { SearchChoice } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { Section } from '../../parts/section.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import styles from './screen.module.css';

type Run = Item<'site'>['runs'][number];

const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** From this number of marks on, they can be hidden by type. */
const FILTERED_MARKS_MIN = 4;

interface Metric {
  readonly title: string;
  readonly series: readonly { readonly name: string; readonly read: (run: Run) => number | null }[];
  readonly format: (value: number) => string;
  /** The largest possible value. */
  readonly most?: number;
}

/** What the chart can show, by its name in the URL. The first one is the default. */
const METRICS = {
  average: {
    title: 'Errors per page',
    // As in the table, so that both have the same numbers.
    series: [{ name: 'Errors per page', read: ({ errors_per_page: errors }) => errors }],
    format: (value) => (Number.isInteger(value) ? count(value) : average(value)),
  },
  errors: {
    title: 'Errors',
    series: [
      { name: 'Errors', read: ({ errors }) => errors },
      { name: 'Critical errors', read: ({ critical }) => critical },
    ],
    format: count,
  },
  severe: {
    title: 'Pages without critical or serious errors, %',
    series: [
      {
        name: 'Without critical or serious errors',
        read: ({ severe_free: free }) => (free === null ? null : percent(free.pages, free.checked)),
      },
    ],
    format: (value) => `${value}%`,
    most: 100,
  },
  passing: {
    title: 'Pages passing, %',
    series: [
      { name: 'Pages passing', read: ({ passed, checked }) => (checked === 0 ? null : percent(passed, checked)) },
    ],
    format: (value) => `${value}%`,
    most: 100,
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** The last runs of a site as a chart, with marks where something other than the site changed. */
export function History({ runs }: { readonly runs: readonly Run[] }) {
  const state = useSearchState('/sites/$site');
  const { search, set } = state;
  const metric: Metric = METRICS[search.show ?? 'average'];
  const shown = runs.toReversed();
  const all = shown.flatMap((run, at) => marksOf(run).map((mark) => ({ ...mark, at, run })));
  const present = MARK_NAMES.filter((name) => all.some((mark) => mark.name === name));
  const chosen = items(search.marks ?? '');
  const marks = all.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  return (
    <Section title="Trend">
      {runs.length < 2 ? (
        <p>The trend appears after the second run.</p>
      ) : (
        <>
          <div className={styles.choices}>
            <SearchChoice
              state={state}
              label="Show"
              name="show"
              any={METRICS.average.title}
              choices={[
                ['errors', METRICS.errors.title],
                ['passing', METRICS.passing.title],
              ]}
            />
            {all.length < FILTERED_MARKS_MIN || present.length < 2 ? null : (
              <Toggles
                label="Marks in the chart"
                toggles={present.map((name) => {
                  const found = all.filter((mark) => mark.name === name).length;
                  return { value: name, title: MARKS[name].nouns[found === 1 ? 0 : 1], count: found };
                })}
                pressed={chosen}
                onChange={(pressed) => set({ marks: pressed.join(',') })}
              />
            )}
          </div>
          <LineChart
            title={`${metric.title} in the last ${runs.length} runs. The table below contains the numbers`}
            labels={shown.map(({ finished_at: time }) => DAYS.format(timeOf(time)))}
            series={metric.series.map(({ name, read }) => ({
              ...{ key: name, name },
              values: shown.map((run) => (run.status === 'failed' || run.stopped ? null : read(run))),
            }))}
            format={metric.format}
            {...(metric.most !== undefined && { most: metric.most })}
            marks={marks.map(({ at, name, words }) => ({ at, sign: MARKS[name].sign, words }))}
            signs={MARK_NAMES.filter((name) => marks.some((mark) => mark.name === name)).map((name) => [
              MARKS[name].sign,
              MARKS[name].title,
            ])}
          />
          {marks.length === 0 ? null : (
            <ul className="visually-hidden" aria-label="Marks in the chart">
              {marks.map(({ run, name, words }) => (
                <li key={`${run.report_id} ${name}`}>
                  {dateTime(run.finished_at)}: {words}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Section>
  );
}
