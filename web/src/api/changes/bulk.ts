import type { New } from 'sitewarden-client';
import { ApiError, OfflineError } from 'sitewarden-client/errors';
import { LIMITS } from 'sitewarden-client/values';
import { create, type Item } from '../client.ts';

/** The result for several sites. */
export interface BulkOutcome {
  /** The number of sites that were run, changed or deleted. */
  readonly done: number;
  /** The number of sites that already had these settings. */
  readonly unchanged: number;
  readonly refused: readonly { readonly site_id: string; readonly name: string; readonly message: string }[];
  /** Why the remaining sites were not tried; null if all were. */
  readonly failure: ApiError | OfflineError | null;
}

/** Starts a report of each site. @throws ApiError, OfflineError if none was started because of it */
export function runSites(ids: readonly string[]): Promise<BulkOutcome> {
  return inBatches(slices(ids), (batch) => bulkRun({ site_ids: batch }));
}

/** Starts a report of each site that has one of the chosen tags and matches the other filters. */
export async function runSelected(selection: New<'bulk_run'>): Promise<BulkOutcome> {
  return { ...(await bulkRun(selection)), failure: null };
}

/** Changes, schedules or archives sites. @param update the attributes of `POST /bulk_updates` without the selection */
export function updateSites(ids: readonly string[], update: object): Promise<BulkOutcome> {
  return inBatches(slices(ids), (batch) => bulkUpdate({ ...update, site_ids: batch }));
}

/** Deletes sites with their reports and schedules. @param onDone called with the number of deleted sites so far */
export function deleteSites(sites: readonly Item<'site'>[], onDone: (done: number) => void): Promise<BulkOutcome> {
  const batches: string[][] = [];
  let reports = 0;
  for (const { id, num_reports: more } of sites) {
    const last = batches.at(-1);
    const isFull =
      last === undefined || last.length >= LIMITS.sitesSelectedMax || reports + more > LIMITS.reportsDeletedMax;
    reports = isFull ? more : reports + more;
    if (isFull) batches.push([id]);
    else last.push(id);
  }
  return inBatches(batches, (batch) => bulkUpdate({ delete: true, site_ids: batch }), onDone);
}

function slices(ids: readonly string[]): string[][] {
  const starts = Array.from(
    { length: Math.ceil(ids.length / LIMITS.sitesSelectedMax) },
    (_, index) => index * LIMITS.sitesSelectedMax,
  );
  return starts.map((start) => ids.slice(start, start + LIMITS.sitesSelectedMax));
}

type BatchOutcome = Omit<BulkOutcome, 'failure'>;

async function bulkRun(selection: object): Promise<BatchOutcome> {
  const run: Item<'bulk_run'> = await create<'bulk_run'>('/bulk_runs', selection as New<'bulk_run'>);
  return { done: run.num_started, unchanged: 0, refused: run.refused };
}

async function bulkUpdate(attributes: object): Promise<BatchOutcome> {
  // A repetition does not change sites twice, so it needs no key.
  const update = await create<'bulk_update'>('/bulk_updates', attributes as New<'bulk_update'>, null);
  return { done: update.num_changed, unchanged: update.num_unchanged, refused: update.refused };
}

/** Sends one batch after another until one fails. If the first one fails, nothing was done. */
async function inBatches(
  batches: readonly (readonly string[])[],
  send: (batch: readonly string[]) => Promise<BatchOutcome>,
  onDone: (done: number) => void = () => undefined,
): Promise<BulkOutcome> {
  let outcome: BulkOutcome = { done: 0, unchanged: 0, refused: [], failure: null };
  for (const [at, batch] of batches.entries()) {
    try {
      const { done, unchanged, refused } = await send(batch);
      outcome = {
        done: outcome.done + done,
        unchanged: outcome.unchanged + unchanged,
        refused: [...outcome.refused, ...refused],
        failure: null,
      };
      onDone(outcome.done);
    } catch (error) {
      if (at === 0 || !(error instanceof ApiError || error instanceof OfflineError)) throw error;
      return { ...outcome, failure: error };
    }
  }
  return outcome;
}
