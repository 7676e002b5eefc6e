import type { Item } from '../../api/client.ts';
import { average, count, percent } from '../../lib/formats.ts';

type Stat = Item<'stat'>;

/** A number that a chart can show for a group in an interval. */
export interface Metric {
  readonly title: string;
  /** Null if unknown. */
  readonly read: (stat: Stat) => number | null;
  readonly format: (value: number) => string;
  /** The largest possible value. */
  readonly most?: number;
}

/** Returns the errors per page; null if no page is checked. */
export function errorsPerPage({ errors_per_page: errors }: Stat): number | null {
  return errors;
}

export const METRICS = {
  passing: {
    title: 'Pages passing, %',
    read: ({ passed, checked }) => (checked === 0 ? null : percent(passed, checked)),
    format: (value) => `${value}%`,
    most: 100,
  },
  severe: {
    title: 'Pages without critical or serious errors, %',
    read: ({ severe_free: free }) => (free === null ? null : percent(free.pages, free.checked)),
    format: (value) => `${value}%`,
    most: 100,
  },
  errors: { title: 'Errors per page', read: errorsPerPage, format: average },
  pages: { title: 'Pages found', read: ({ web_pages: pages }) => pages, format: count },
} as const satisfies Record<string, Metric>;

/** Returns the metric in the URL. */
export function metricOf(name: string | undefined): Metric {
  return name === 'errors' || name === 'pages' || name === 'severe' ? METRICS[name] : METRICS.passing;
}
