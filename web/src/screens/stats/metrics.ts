import type { Item } from '../../api/client.ts';
import { count, percent } from '../../lib/formats.ts';

type Stat = Item<'stat'>;

/** What a chart can show of a group in an interval. */
export interface Metric {
  readonly title: string;
  /** Null if it cannot be told. */
  readonly read: (stat: Stat) => number | null;
  readonly format: (value: number) => string;
  /** The largest value there can be. */
  readonly most?: number;
}

/** Returns the errors of all kinds of check on an average page; null without pages. */
export function errorsAPage({ html, a11y, link, web_pages: pages }: Stat): number | null {
  const errors = [html, a11y, link].reduce((sum, check) => sum + (check?.errors ?? 0), 0);
  return pages === 0 ? null : Math.round((errors / pages) * 10) / 10;
}

export const METRICS = {
  passing: {
    title: 'Pages passing, %',
    read: ({ passed, checked }) => (checked === 0 ? null : percent(passed, checked)),
    format: (value) => `${value}%`,
    most: 100,
  },
  errors: { title: 'Errors a page', read: errorsAPage, format: count },
  pages: { title: 'Pages', read: ({ web_pages: pages }) => pages, format: count },
} as const satisfies Record<string, Metric>;

/** Returns the metric that the URL names. */
export function metricOf(name: string | undefined): Metric {
  return name === 'errors' || name === 'pages' ? METRICS[name] : METRICS.passing;
}
