import type { Changed, New } from 'sitewarden-client';
import { change, create, type Item, remove } from '../client.ts';

/** Decides about an occurrence of a report, its cause or its rule. The service updates reports in the background. */
export function decide(report: string, decision: New<'decision'>): Promise<Item<'decision'>> {
  return create<'decision'>(`/reports/${report}/decisions`, decision);
}

/** Changes a decision. */
export function changeDecision(id: string, changes: Changed<'decision'>): Promise<Item<'decision'>> {
  return change<'decision'>(`/decisions/${id}`, changes);
}

/** Undoes a decision. Its issues become again what the checks found. */
export function undoDecision(id: string): Promise<void> {
  return remove(`/decisions/${id}`);
}
