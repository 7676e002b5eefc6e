import { applyState, type BrowserState } from '../../browser/browser-state.ts';
import { endSession } from '../../browser/end-session.ts';
import type { OperatedPage } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { ConsentOutcome, ConsentSetting } from '../../domain/consent.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { dismissBanner, hasBanner } from './dismiss-consent.ts';
import type { KeptConsent } from './kept-consent.ts';

type Show = <Result>(use: (shown: OperatedPage) => Promise<Result>) => Promise<Result>;

/** Shows a page as it looks after the choice in its consent banner. */
export interface ConsentView {
  readonly show: Show;
  /** Null if there is no choice to make. */
  outcome(): ConsentOutcome | null;
  notes(): readonly CheckNote[];
}

interface ConsentMeans {
  readonly consent: ConsentSetting | null;
  readonly report: string;
  readonly signIn: SignIn | undefined;
  readonly kept: KeptConsent;
  readonly show: Show;
  readonly stepAside: StepAside;
}

/**
 * Calls `use` with a view of a page (decision 0147). A page whose banner was dismissed is loaded again, so that it looks as the
 * site shows it from then on. What the site has stored is given to the other pages of the report before they load. The page that
 * keeps its banner is loaded once more after `use`, to dismiss the banner for the other pages.
 */
export async function withConsent<Result>(
  { page }: BrowserPage,
  means: ConsentMeans,
  use: (view: ConsentView) => Promise<Result>,
): Promise<Result> {
  const { consent, report, kept, show, stepAside } = means;
  if (consent === null) return use({ show, outcome: () => null, notes: () => [] });
  if (consent.keepsBanner) {
    const view = viewWithBanner(show);
    const result = await use(view);
    const forOthers = (shown: OperatedPage): Promise<unknown> => dismissal({ ...means, consent }, {})(shown);
    // If this fails, the other pages dismiss the banner themselves.
    if (view.outcome() === 'kept') await show(forOthers).catch(() => undefined);
    return result;
  }
  const stored = await stepAside(() => kept.read(report));
  const cdp = await page.context().newCDPSession(page);
  try {
    if (stored !== null) await applyState(cdp, stored);
    return await use(viewWithoutBanner({ ...means, consent }, stored !== null));
  } finally {
    await endSession(cdp);
  }
}

function viewWithBanner(show: Show): ConsentView {
  let outcome: ConsentOutcome | null = null;
  return {
    show: (use) =>
      show(async (shown) => {
        outcome ??= (await hasBanner(shown)) ? 'kept' : 'none';
        return use(shown);
      }),
    outcome: () => outcome,
    notes: () => [],
  };
}

/** How far the dismissal of a banner has progressed: pages may load themselves again after a choice. */
interface Progress {
  before?: BrowserState | null;
}

type Means = ConsentMeans & { readonly consent: ConsentSetting };

/** Returns a function that dismisses the banner of a page, and remembers for the other pages what the site has stored. */
function dismissal({ consent, report, signIn, kept, stepAside }: Means, progress: Progress) {
  return async (shown: OperatedPage) => {
    const found = await dismissBanner(shown, consent.choice, { stepAside, progress });
    if (found.stored !== null) kept.add(report, found.stored, signIn);
    return found;
  };
}

function viewWithoutBanner(means: Means, isKnown: boolean): ConsentView {
  let outcome: ConsentOutcome = 'none';
  let wasShownAgain = false;
  return {
    async show(use) {
      for (;;) {
        const dismiss = dismissal(means, {});
        const end = await means.show(async (shown) => {
          const found = await dismiss(shown);
          outcome = found.outcome === 'none' && (isKnown || wasShownAgain) ? 'dismissed' : found.outcome;
          if (found.stored === null || wasShownAgain) return { result: await use(shown) };
          wasShownAgain = true;
          return null;
        });
        if (end !== null) return end.result;
      }
    },
    outcome: () => outcome,
    notes: () => (outcome === 'kept' ? [{ code: 'banner_kept', params: { choice: means.consent.choice } }] : []),
  };
}
