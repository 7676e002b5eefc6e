import { blockRequests, SAFE_METHODS } from '../../browser/apply-session.ts';
import { type BrowserState, changedState, isEmptyState, readState } from '../../browser/browser-state.ts';
import { endSession } from '../../browser/end-session.ts';
import type { OperatedPage } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { ConsentChoice, ConsentOutcome } from '../../domain/consent.ts';
import { type FoundBanner, findBanner } from './consent-in-page.ts';
import { BANNERS, CHOICE_NAMES, CONSENT_WORDS } from './consent-names.ts';
import { bannerLayersMax, stateSettleMs } from './limits.ts';
import { elementsIn, nameOfElement } from './openers-in-page.ts';
import { aimAt } from './states-in-page.ts';

/** Whether a page shows a consent banner, and what became of it. */
interface Dismissal {
  readonly outcome: ConsentOutcome;
  /** What the site has stored; null if that is nothing. */
  readonly stored: BrowserState | null;
}

/** Whether a page shows a consent banner. */
export async function hasBanner({ main }: Pick<OperatedPage, 'main'>): Promise<boolean> {
  return (await bannerIn(main, 'accept')) !== null;
}

interface DismissMeans {
  readonly stepAside: StepAside;
  /** What the browser kept before the first click, if there was one: the page may have loaded itself again since. */
  readonly progress: { before?: BrowserState | null };
}

/**
 * Makes a choice in the consent banner of a page, like a person: clicks the button that is named for it. In the meantime, the
 * page cannot send requests that may change something.
 */
export async function dismissBanner(
  { page, cdp, main, settle }: OperatedPage,
  choice: ConsentChoice,
  { stepAside, progress }: DismissMeans,
): Promise<Dismissal> {
  // Pages in a sandbox have no storage.
  const read = (): Promise<BrowserState | null> => readState({ page, cdp }).catch(() => null);
  let banner = await bannerIn(main, choice);
  if (banner === null && progress.before === undefined) return { outcome: 'none', stored: null };
  if (progress.before === undefined) progress.before = await read();
  const guard = await page.context().newCDPSession(page);
  try {
    await blockRequests(guard, SAFE_METHODS, () => undefined);
    // Some have a second layer.
    for (let layers = 0; layers < bannerLayersMax && banner !== null && banner.button !== null; layers += 1) {
      if (banner.button === true) await page.keyboard.press('Enter');
      else await page.mouse.click(banner.button.x, banner.button.y);
      await stepAside(() => settle(stateSettleMs));
      banner = await bannerIn(main, choice);
    }
  } finally {
    await endSession(guard);
  }
  await page.mouse.move(-1, -1);
  await main.evaluate(`document.activeElement?.blur(); scrollTo({ left: 0, top: 0, behavior: 'instant' })`);
  if (banner !== null) return { outcome: 'kept', stored: null };
  const [before, now] = [progress.before, await read()];
  const stored = before && now && changedState(before, now);
  return { outcome: 'dismissed', stored: stored !== null && isEmptyState(stored) ? null : stored };
}

async function bannerIn({ evaluate }: OperatedPage['main'], choice: ConsentChoice): Promise<FoundBanner | null> {
  const tools = Object.entries({ elementsIn, nameOfElement, aimAt }).map(
    ([name, each]) => `${name}: ${each.toString()}`,
  );
  const any = [...CHOICE_NAMES.accept, ...CHOICE_NAMES.reject];
  const rules = { wanted: CHOICE_NAMES[choice], any, banners: BANNERS, words: CONSENT_WORDS };
  return (await evaluate(`(() => {
    const tools = { ${tools.join(', ')} };
    const elementsIn = tools.elementsIn;
    return (${findBanner.toString()})(tools, ${JSON.stringify(rules)});
  })()`)) as FoundBanner | null;
}
