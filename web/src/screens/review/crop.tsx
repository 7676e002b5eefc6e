import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isStatus } from 'sitewarden-client/errors';
import type { Item } from '../../api/client.ts';
import { reviewedScreenshotQuery } from '../../api/queries/review.ts';
import { type Box, cropAround, percentIn } from '../../lib/crop.ts';
import { pathOf } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

/** The part of the page's screenshot around an occurrence. */
export function Crop({ occurrence, to }: { readonly occurrence: Item<'occurrence'>; readonly to: ScreenshotLink }) {
  const { report } = useReport();
  const screenshot = useQuery(reviewedScreenshotQuery(report.id, occurrence.web_page_id));
  if (screenshot.data === undefined && isStatus(screenshot.error, 403, 404)) {
    return <p className={styles.none}>{screenshot.error?.message}</p>;
  }
  return (
    <QueryView query={screenshot} rows={4}>
      {(data) => <CropOf screenshot={data} occurrence={occurrence} to={to} />}
    </QueryView>
  );
}

interface ScreenshotLink {
  readonly to: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}

function CropOf({
  screenshot: { image_url: url, width, height, scale },
  occurrence: { box, url: pageUrl, markup },
  to,
}: {
  readonly screenshot: Item<'screenshot'>;
  readonly occurrence: Item<'occurrence'>;
  readonly to: ScreenshotLink;
}) {
  const page = { width: width / scale, height: height / scale };
  const [x, y, boxWidth, boxHeight] = box ?? [];
  const element: Box | null =
    x === undefined || y === undefined || boxWidth === undefined || boxHeight === undefined
      ? null
      : [x, y, boxWidth, boxHeight];
  const crop = element === null ? null : cropAround(element, page);
  if (crop === null || element === null) {
    return <p className={styles.none}>The element is in a frame or not visible in the screenshot.</p>;
  }
  return (
    <Link
      {...to}
      className={styles.crop}
      style={{ aspectRatio: `${crop[2]} / ${crop[3]}`, maxWidth: `calc(var(--source-height) * ${crop[2] / crop[3]})` }}
    >
      <img
        src={pathOf(url)}
        alt={`The element on ${pathOf(pageUrl)}: ${markup}`}
        style={percentIn([0, 0, page.width, page.height], crop)}
      />
      <span className={styles.element} style={percentIn(element, crop)} />
    </Link>
  );
}
