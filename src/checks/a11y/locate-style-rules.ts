import type { StyleRule } from '../../../packages/client/occurrences.ts';
import type { DevtoolsSession } from '../../browser/devtools-session.ts';
import type { FrameWorld } from '../../browser/page-load/frame-world.ts';
import type { ElementColors, FoundStyleRules, RulePlace } from './describe-setters-in-page.ts';

export interface LocatedStyleRules {
  readonly rules: readonly StyleRule[];
  readonly of: readonly ElementColors[];
}

/** Maximum number of rules that are located. Few pages have more rules that cause insufficient contrast. */
const LOCATED_MAX = 200;

/** What the browser says about a style sheet. */
interface SheetHeader {
  readonly styleSheetId: string;
  readonly frameId: string;
  readonly sourceURL: string;
  readonly ownerNode?: number;
  /** Whether the parser created it from a style element. */
  readonly isInline: boolean;
}

const NOWHERE = { line: null, column: null };

/** Returns rules without their positions. */
export function withoutPositions({ rules, of }: FoundStyleRules): LocatedStyleRules {
  return { rules: rules.map(({ place: _, ...rule }) => ({ ...rule, ...NOWHERE })), of };
}

/**
 * Asks the browser for the positions of the rules. The browser may re-request style sheets that it may not cache: without these
 * requests, it would sometimes not have their text.
 * @param ownersName the global variable with the elements of style sheets
 */
export async function locateStyleRules(
  cdp: DevtoolsSession,
  main: FrameWorld,
  { rules, of, sheets }: FoundStyleRules,
  ownersName: string,
): Promise<LocatedStyleRules> {
  const headers: SheetHeader[] = [];
  const onSheet = ({ header }: { readonly header: SheetHeader }): void => {
    if (header.frameId === main.frameId) headers.push(header);
  };
  cdp.on('CSS.styleSheetAdded', onSheet);
  try {
    await cdp.send('DOM.enable');
    await cdp.send('CSS.enable');
    const byUrl = new Map(headers.filter(({ isInline }) => !isInline).map((header) => [header.sourceURL, header]));
    const byOwner = new Map(headers.filter(({ isInline }) => isInline).map((header) => [header.ownerNode, header]));
    const found = await Promise.all(
      sheets.map(async (url, index) =>
        url === null ? byOwner.get((await main.nodeIn(`${ownersName}[${index}]`)) ?? -1) : byUrl.get(url),
      ),
    );
    const located: StyleRule[] = [];
    for (const { place, ...rule } of rules) {
      const header = place === null || located.length >= LOCATED_MAX ? undefined : found[place.sheet];
      const position = place === null || header === undefined ? NOWHERE : await locate(cdp, header, place);
      located.push({ ...rule, ...position });
    }
    return { rules: located, of };
  } finally {
    cdp.off('CSS.styleSheetAdded', onSheet);
    const domains = ['CSS.disable', 'DOM.disable'] as const;
    await Promise.all(domains.map((method) => cdp.send(method).catch(() => undefined)));
  }
}

async function locate(
  cdp: DevtoolsSession,
  { styleSheetId }: SheetHeader,
  { selector, ordinal, total }: RulePlace,
): Promise<Pick<StyleRule, 'line' | 'column'>> {
  const parameters = { styleSheetId, selectorText: selector };
  // Rejects if the source has no such selector, because a script has added the rule.
  const { ranges } = await cdp.send('CSS.getLocationForSelector', parameters).catch(() => ({ ranges: [] }));
  const range = ranges.length === total ? ranges[ordinal] : undefined;
  return range === undefined ? NOWHERE : { line: range.startLine + 1, column: range.startColumn + 1 };
}
