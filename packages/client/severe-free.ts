/** The pages without critical or serious errors, of the pages that a check that grades its issues has checked. */
export interface SevereFree {
  readonly pages: number;
  readonly checked: number;
}

/** Returns `12 of 32 pages are free of critical or serious errors`. */
export function severeFreeWords({ pages, checked }: SevereFree): string {
  const [are, noun] = [pages === 1 || checked === 1 ? 'is' : 'are', checked === 1 ? 'page' : 'pages'];
  return `${pages.toLocaleString('en')} of ${checked.toLocaleString('en')} ${noun} ${are} free of critical or serious errors`;
}
