import type { New } from 'sitewarden-client';
import { create, type Item, remove } from '../client.ts';

/** Silences issues. The service counts what it silences in the background. */
export function createMuting(muting: New<'muting'>): Promise<Item<'muting'>> {
  return create<'muting'>('/mutings', muting);
}

/** Ends a muting. What only it silenced comes back. */
export function deleteMuting(id: string): Promise<void> {
  return remove(`/mutings/${id}`);
}
