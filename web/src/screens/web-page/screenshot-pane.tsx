import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { isStatus } from 'sitewarden-client/errors';
import type { Item } from '../../api/client.ts';
import { screenshotQuery } from '../../api/queries/web-page.ts';
import { dateTime, pathOf, plural } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { scrollWithin } from '../../parts/scroll-within.ts';
import { useReport } from '../../report/report-context.tsx';
import { type Occurrence, type PageIssue, wordsOf } from './page-issues.ts';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** More boxes would hide the screenshot. */
const boxesMax = 500;

interface PaneProps {
  readonly page: Item<'web_page'>;
  readonly issues: readonly PageIssue[];
  readonly selection: Selection;
  readonly card: ReactNode;
}

/** The screenshot of the page with a box around each occurrence that has a position. */
export function ScreenshotPane(props: PaneProps) {
  const { report } = useReport();
  const screenshot = useQuery(screenshotQuery(report.id, props.page.id));
  return (
    <>
      {props.card}
      {screenshot.data === undefined && isStatus(screenshot.error, 403, 404) ? (
        <NoScreenshot error={screenshot.error} />
      ) : (
        <QueryView query={screenshot}>{(data) => <Screenshot {...props} screenshot={data} />}</QueryView>
      )}
    </>
  );
}

function NoScreenshot({ error }: { readonly error: Error | null }) {
  const { report } = useReport();
  const reason = isStatus(error, 403)
    ? 'The report signs in to the site, or its owner’s plan does not include screenshots.'
    : report.store_screenshots
      ? error?.message
      : 'This report stores no screenshots. To get them, run it again with “A screenshot of each page”.';
  return (
    <EmptyState title="No screenshot of this page">
      <p>{reason}</p>
    </EmptyState>
  );
}

function Screenshot({ page, issues, selection, screenshot }: PaneProps & { readonly screenshot: Item<'screenshot'> }) {
  const { width, height, scale } = screenshot;
  const boxes = issues.flatMap((issue) => issue.occurrences.flatMap((occurrence) => boxOf(issue, occurrence)));
  const selected = selection.occurrence;
  // Small boxes are above large ones, and the selected one is on top.
  const drawn = boxes
    .filter(({ occurrence }) => occurrence !== selected)
    .toSorted((a, b) => areaOf(b.box) - areaOf(a.box))
    .slice(-boxesMax);
  const current = boxes.find(({ occurrence }) => occurrence === selected);
  return (
    <>
      {selected !== undefined && current === undefined ? <p>{whyNot(selection)}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className={styles.screenshotFrame} aria-label="Screenshot" tabIndex={0}>
        <div className={styles.screenshot}>
          <img
            src={pathOf(screenshot.image_url)}
            width={width}
            height={height}
            alt={`${pathOf(page.url)}, taken ${dateTime(screenshot.taken_at)}`}
          />
          {[...drawn, ...(current === undefined ? [] : [current])].map(({ issue, occurrence, box }) => (
            <Box
              key={`${issue.key} ${occurrence.number}`}
              issue={issue}
              occurrence={occurrence}
              isSelected={occurrence === selected}
              area={box.map((pixels, index) => (pixels * scale * 100) / (index % 2 === 0 ? width : height))}
              onSelect={() => selection.select(issue, occurrence)}
            />
          ))}
        </div>
      </section>
      <p className={styles.soft}>
        {plural(boxes.length, 'occurrence')} in the screenshot, taken {dateTime(screenshot.taken_at)}
        {screenshot.clipped ? '. The page is larger than the screenshot.' : '.'}
      </p>
    </>
  );
}

function Box({
  issue,
  occurrence,
  area: [left = 0, top = 0, width = 0, height = 0],
  isSelected,
  onSelect,
}: {
  readonly issue: PageIssue;
  readonly occurrence: Occurrence;
  /** In percent of the screenshot. */
  readonly area: readonly number[];
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const box = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isSelected || box.current === null) return;
    scrollWithin(box.current.closest('section'), box.current);
    // The screenshot may extend below the window.
    if (box.current.getBoundingClientRect().top > innerHeight) box.current.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <button
      ref={box}
      type="button"
      // The list makes every occurrence reachable by keyboard.
      tabIndex={-1}
      className={isSelected ? styles.boxSelected : styles.box}
      aria-label={wordsOf(issue, occurrence)}
      aria-current={isSelected}
      style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
      onClick={onSelect}
    />
  );
}

function boxOf(issue: PageIssue, occurrence: Occurrence) {
  return occurrence.box === null ? [] : [{ issue, occurrence, box: occurrence.box }];
}

function areaOf([, , width = 0, height = 0]: readonly number[]): number {
  return width * height;
}

function whyNot({ issue }: Selection): string {
  return issue?.kind === 'a11y'
    ? 'This element is in a frame or not visible in the screenshot.'
    : 'Only accessibility issues are marked in the screenshot.';
}
