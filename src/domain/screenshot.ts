/** A picture of a page as it was when it was checked, in which the places of its issues can be shown. */
export interface Screenshot {
  /** WebP. */
  readonly image: Uint8Array;
  /** In pixels of the picture. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture per CSS pixel of the page: above 0. The picture begins at the upper left corner of the page. */
  readonly scale: number;
  /** Whether the page is larger than the picture shows. */
  readonly clipped: boolean;
  readonly takenAt: Date;
}
