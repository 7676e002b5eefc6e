import type { CDPSession } from 'playwright-core';

/** Whether a script has opened the document in the page's main frame anew, by `document.open` or a late `document.write`. */
export interface OpeningWatch {
  /** Such a document is loading until a script closes it, and many forget to. */
  wasOpened(): boolean;
  end(): void;
}

/** Watches a page whose domain `Page` is enabled. */
export function watchOpening(cdp: CDPSession, mainFrameId: string): OpeningWatch {
  let isOpened = false;
  const see =
    (value: boolean) =>
    ({ frame }: { readonly frame: { readonly id: string } }): void => {
      if (frame.id === mainFrameId) isOpened = value;
    };
  const seeOpened = see(true);
  const seeNavigated = see(false);
  cdp.on('Page.documentOpened', seeOpened);
  cdp.on('Page.frameNavigated', seeNavigated);
  return {
    wasOpened: () => isOpened,
    end() {
      cdp.off('Page.documentOpened', seeOpened);
      cdp.off('Page.frameNavigated', seeNavigated);
    },
  };
}
