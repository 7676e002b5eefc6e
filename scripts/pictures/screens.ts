import type { Page } from 'playwright-core';

/** The ids in the paths of the screens. */
export interface Shown {
  readonly report: string;
  /** The common issue of the button without a name, which is on every page. */
  readonly issue: string;
  readonly webPage: string;
}

export interface Screen {
  /** The name of the file, before scheme and width. */
  readonly name: string;
  readonly path: (shown: Shown) => string;
  /** Runs before the screenshot is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Height of the screenshot at a width of 1,280 px, if it is not 800. */
  readonly height?: number;
  /** The variants that the documentation shows; the others are only taken with `--all`. */
  readonly kept?: readonly ('light-1280' | 'dark-1280' | 'light-360' | 'dark-360')[];
}

const LIGHT = ['light-1280'] as const;

export const SCREENS: readonly Screen[] = [
  { name: 'overview', path: () => '/', height: 530, kept: LIGHT },
  { name: 'summary', path: ({ report }) => `/reports/${report}`, height: 900, kept: ['light-1280', 'dark-1280'] },
  { name: 'issue', path: ({ report, issue }) => `/reports/${report}/accessibility/${issue}`, height: 860, kept: LIGHT },
  {
    name: 'page',
    path: ({ report, webPage }) => `/reports/${report}/pages/${webPage}`,
    prepare: async (page) => {
      // On a phone, the list of issues is a view of its own.
      await page
        .getByRole('button', { name: /Duplicate ID/ })
        .or(page.getByRole('button', { name: /^Issues/ }))
        .first()
        .click();
    },
    kept: LIGHT,
  },
  {
    name: 'mute',
    path: ({ report, issue }) => `/reports/${report}/accessibility/${issue}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Mute…' }).first().click();
      await page.getByText(/^Mutes/).waitFor();
    },
    height: 960,
    kept: LIGHT,
  },
  {
    name: 'share',
    path: ({ report }) => `/reports/${report}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Share…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'reports', path: () => '/reports' },
  { name: 'new-report', path: ({ report }) => `/reports/new?from=${report}` },
  { name: 'changes', path: ({ report }) => `/reports/${report}/changes` },
  { name: 'pages', path: ({ report }) => `/reports/${report}/pages` },
  { name: 'html', path: ({ report }) => `/reports/${report}/html` },
  { name: 'urls', path: ({ report }) => `/reports/${report}/urls` },
  { name: 'schedule', path: ({ report }) => `/schedules/new?from=${report}`, height: 900 },
  { name: 'guests', path: () => '/guests', height: 480 },
];
