import type { Client } from '../../../packages/client/client.ts';
import { ApiError } from '../../../packages/client/errors.ts';
import type { NewMutingAttributes, NewScheduleAttributes } from '../../../packages/client/schema.ts';
import type { ApiImport } from './from-api.ts';
import type { SiteThere } from './reports.ts';

/** What was created from the resources of another service, or would be. */
export interface ServiceCreation {
  readonly schedules: readonly NewScheduleAttributes[];
  readonly mutings: readonly NewMutingAttributes[];
  readonly reports: readonly SiteThere[];
  /** Why the rest was refused: a sentence each. */
  readonly refused: readonly string[];
}

export interface CreationLimits {
  /** How many sites to check. */
  readonly reportsMax: number;
  isStopped(): boolean;
}

/** Refusals that the next report would also get. */
const LASTING = ['credits_exhausted', 'paused', 'too_many_reports'];

/** Returns what `createFromService` would create if nothing is refused. */
export function planFromService({ schedules, mutings, sites }: ApiImport, reportsMax: number): ServiceCreation {
  return { schedules, mutings, reports: sites?.sites.slice(0, reportsMax) ?? [], refused: [] };
}

/**
 * Creates schedules, then mutings, and then reports, so that the mutings apply to their first results. If stopped, ends after the
 * current one.
 */
export async function createFromService(
  own: Client,
  found: ApiImport,
  { reportsMax, isStopped }: CreationLimits,
): Promise<ServiceCreation> {
  const planned = planFromService(found, reportsMax);
  const refused: string[] = [];
  const created = async <Thing>(
    things: readonly Thing[],
    titleOf: (thing: Thing) => string,
    create: (thing: Thing) => Promise<unknown>,
  ): Promise<Thing[]> => {
    const done: Thing[] = [];
    for (const thing of things) {
      if (isStopped()) break;
      try {
        await create(thing);
        done.push(thing);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refused.push(`The ${titleOf(thing)} was rejected: ${error.message}`);
        if (LASTING.includes(error.code)) break;
      }
    }
    return done;
  };
  return {
    schedules: await created(
      planned.schedules,
      ({ starting_url }) => `schedule of ${starting_url}`,
      (schedule) => own.create<'schedule'>('/schedules', schedule),
    ),
    mutings: await created(
      planned.mutings,
      ({ message }) => `muting of "${message}"`,
      (muting) => own.create<'muting'>('/mutings', muting),
    ),
    reports: await created(
      planned.reports,
      ({ attributes }) => `report of ${attributes.starting_url}`,
      ({ attributes }) => own.create<'report'>('/reports', attributes),
    ),
    refused,
  };
}
