import { useState } from 'react';
import type { Item } from '../api/client.ts';
import { siteName } from './site-state.ts';
import styles from './site-thumbnail.module.css';

/** The proportions of all thumbnails, which reserve their space while they load. */
const width = 320;
const height = 200;

/** What the start page of a site looks like; its initials if that is not known. */
export function SiteThumbnail({
  site,
  isLarge = false,
}: {
  readonly site: Item<'site'>;
  /** Default: the height of a table row. */
  readonly isLarge?: boolean;
}) {
  const url = site.thumbnail?.image_url;
  const [brokenUrl, setBrokenUrl] = useState<string>();
  const size = isLarge ? styles.large : styles.small;
  if (url === undefined || url === brokenUrl) {
    return (
      <span className={`${styles.none} ${size}`} aria-hidden="true">
        {initialsOf(siteName(site))}
      </span>
    );
  }
  return (
    <img
      className={`${styles.image} ${size}`}
      src={url}
      alt={`Start page of ${siteName(site)}`}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
      onError={() => setBrokenUrl(url)}
    />
  );
}

/** Returns the first letters of the first two words of a name or address: `PB` for `Paper & Bean`, `B` for `bakery.example`. */
function initialsOf(name: string): string {
  const words = name.replace(/^www\./, '').split(/[\s/]+/u);
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  const shown = name.includes('.') && !/\s/.test(name) ? letters.slice(0, 1) : letters.slice(0, 2);
  return shown.join('').toUpperCase();
}
