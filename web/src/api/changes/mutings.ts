import type { New } from 'sitewarden-client';
import { create, type Item, remove } from '../client.ts';

/** Creates a muting. The service counts the muted issues in the background. */
export function createMuting(muting: New<'muting'>): Promise<Item<'muting'>> {
  return create<'muting'>('/mutings', muting);
}

/** Deletes a muting. Issues that no other muting mutes are counted again. */
export function deleteMuting(id: string): Promise<void> {
  return remove(`/mutings/${id}`);
}
