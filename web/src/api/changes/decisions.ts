import type { Changed, New } from 'sitewarden-client';
import { change, create, type Item, readAll, remove, siteIdOf } from '../client.ts';

type Earlier = Pick<Item<'decision'>, 'id' | 'verdict' | 'note' | 'assessor'>;

/** A decision that was made. */
interface Made {
  readonly decision: Item<'decision'>;
  /** The earlier decision that it replaced; undefined if there was none. */
  readonly replaced: Earlier | undefined;
}

/**
 * Decides about an occurrence of a report, its cause or its rule. The service updates reports in the background.
 * @param shown what was decided about the occurrence; absent if that is not known
 */
export async function decide(
  report: Item<'report'>,
  wanted: New<'decision'>,
  shown?: (Earlier & Pick<Item<'decision'>, 'scope'>) | null,
): Promise<Made> {
  // The decision that applies hides less specific decisions, and the new decision may replace one of those.
  const isKnown = shown === null || shown?.scope === wanted.scope;
  const site = siteIdOf(report);
  const before = isKnown ? [shown] : await Array.fromAsync(readAll<'decision'>(`/sites/${site}/decisions`));
  const decision = await create<'decision'>(`/reports/${report.id}/decisions`, wanted);
  // A decision that replaces another one keeps its id.
  return { decision, replaced: before.find((each) => each?.id === decision.id) ?? undefined };
}

/** Changes a decision. */
export function changeDecision(id: string, changes: Changed<'decision'>): Promise<Item<'decision'>> {
  return change<'decision'>(`/decisions/${id}`, changes);
}

/** Undoes a decision: restores what it replaced or, if it replaced nothing, what the checks found. */
export async function undoDecision(id: string, replaced?: Earlier): Promise<void> {
  if (replaced === undefined) return remove(`/decisions/${id}`);
  const { verdict, note, assessor } = replaced;
  await changeDecision(id, { verdict, note, assessor });
}
