import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Puts the order of the layers first. A layer is as strong as its first mention is late, and the styles of parts come before those
 * of the entry.
 */
const layersFirst: Plugin = {
  name: 'layers-first',
  enforce: 'post',
  generateBundle(_, bundle) {
    const order = readFileSync(new URL('src/style/layers.css', import.meta.url), 'utf8').trim();
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css')) file.source = order + String(file.source);
    }
  },
};

/** What only the screens with the history of a site, and with what to fix first, share. */
const HISTORY = new RegExp(
  [
    ...['charts/line-chart', 'lib/effects', 'lib/ticks', 'queries/shared-sites', 'queries/site-comparison'],
    ...[
      'report/comparison-view',
      'report/first-problems',
      'report/latest-context',
      'report/problem',
      'report/shared-report',
      'screens/latest',
    ],
  ].join('|'),
);

/** The forms of reports, sites, schedules, channels and standards, and of steps. */
const FORMS =
  /\/web\/src\/forms\/((report|channel)-form|steps)\/|\/web\/src\/forms\/(standard-form|consent-options)|\/packages\/client\/recorded-steps/;

/** What the screens of pages share. */
const PAGES = /\/packages\/client\/seen-as/;

/** What the screens of issues share: decisions, mutings, and the source of pages. */
const ISSUES =
  /\/web\/src\/(source-view\/|report\/(decide-dialog|decision-line|mute-dialog|use-decisions|style-rule)|api\/(queries|changes)\/(decisions|review|mutings)|lib\/(decisions|occurrence-link|uncounted)|lists\/(mutings-table|neighbors)|report\/type-change)|\/packages\/client\/(occurrences|causes)/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), layersFirst],
  build: {
    target: 'baseline-widely-available',
    // Content-Security-Policy forbids data: URLs and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    license: { fileName: 'LICENSES.md' },
    reportCompressedSize: false,
    // Small files cost more requests than they save bytes: what screens share is one file, and so are all styles. What only the
    // few screens with the history of a site share is another file, and so are large forms: most screens do not load them.
    cssCodeSplit: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              minShareCount: 2,
              test: (id) => ![HISTORY, FORMS, ISSUES, PAGES].some((own) => own.test(id)),
            },
            { name: 'forms', minShareCount: 2, test: FORMS },
            { name: 'issues', minShareCount: 2, test: ISSUES },
            { name: 'pages', minShareCount: 2, test: PAGES },
            { name: 'history', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
