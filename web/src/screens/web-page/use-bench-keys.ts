import type { RefObject } from 'react';
import { VERDICTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { VERDICT_WORDS } from '../../lib/decisions.ts';
import { useNeighborKeys } from '../../lists/neighbors.tsx';
import { type KeyCommand, useKeys } from '../../live/use-keys.ts';
import { useReader } from '../../report/report-context.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
import { useNeighbors } from './use-neighbors.ts';
import type { Recheck } from './use-recheck.ts';
import type { Selection } from './use-selection.ts';

/** The single-key shortcuts for the issues and the source of a page. */
export function useBenchKeys(
  bench: RefObject<HTMLDivElement | null>,
  {
    page,
    selection,
    recheck,
    findField,
  }: {
    readonly page: Item<'web_page'>;
    readonly selection: Selection;
    readonly recheck: Recheck;
    readonly findField: RefObject<HTMLInputElement | null>;
  },
): void {
  const neighborKeys = useNeighborKeys(useNeighbors(page.id));
  const { mayChange, mayMute } = useReader();
  const mayDecide = useMayDecide();
  const press = (name: string) => (): void =>
    bench.current?.querySelector<HTMLElement>(`[data-action="${name}"] button`)?.click();
  const { view } = selection;
  const commands: readonly (KeyCommand | null)[] = [
    { key: 'j', title: 'Next issue', run: () => selection.stepIssue(1) },
    { key: 'k', title: 'Previous issue', run: () => selection.stepIssue(-1) },
    { key: 'n', title: 'Next occurrence', run: () => selection.stepOccurrence(1) },
    { key: 'p', title: 'Previous occurrence', run: () => selection.stepOccurrence(-1) },
    {
      key: 's',
      title: 'Source or screenshot',
      run: () => selection.setView(view === 'source' ? 'screenshot' : 'source'),
    },
    mayChange ? { key: 'r', title: 'Re-check page', run: recheck.isBusy ? () => {} : recheck.start } : null,
    mayMute ? { key: 'm', title: 'Mute issue', run: press('mute') } : null,
    ...(mayDecide
      ? VERDICTS.map((verdict) => ({
          key: VERDICT_WORDS[verdict].key,
          title: `Decide: ${VERDICT_WORDS[verdict].words}`,
          run: press(verdict),
        }))
      : []),
    { key: 'c', title: 'Copy link to occurrence', run: press('copy') },
    { key: 'o', title: 'Open page', run: () => window.open(page.reached_url ?? page.url, '_blank', 'noreferrer') },
    ...neighborKeys,
    view === 'source' ? { key: '/', title: 'Find in source', run: () => findField.current?.focus() } : null,
  ];
  useKeys(
    bench,
    commands.filter((command) => command !== null),
  );
}
