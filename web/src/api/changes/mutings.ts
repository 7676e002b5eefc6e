import { create, type Item, remove } from '../client.ts';

/** What a new muting consists of. */
export interface NewMuting {
  readonly url_match: string;
  readonly message: string;
  readonly comment: string;
  /** A time or a date; null means never. */
  readonly expires_at: string | null;
}

/** Silences issues. The service counts what it silences in the background. */
export function createMuting(muting: NewMuting): Promise<Item<'muting'>> {
  return create<'muting'>('/mutings', muting);
}

/** Ends a muting. What only it silenced comes back. */
export function deleteMuting(id: string): Promise<void> {
  return remove(`/mutings/${id}`);
}
