/** A screenshot of a page, taken when it was checked, to show where its issues are. */
export interface Screenshot {
  /** WebP. */
  readonly image: Uint8Array;
  /** In pixels of the screenshot. */
  readonly width: number;
  readonly height: number;
  /** Screenshot pixels per CSS pixel of the page: above 0. The screenshot begins at the upper left corner of the page. */
  readonly scale: number;
  /** Whether the page is larger than the screenshot. */
  readonly clipped: boolean;
  readonly takenAt: Date;
}

/** A small image of the upper part of a page, by which people recognize the site. */
export type Thumbnail = Pick<Screenshot, 'image' | 'width' | 'height' | 'takenAt'>;
