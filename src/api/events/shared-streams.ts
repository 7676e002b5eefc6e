import { randomUUID } from 'node:crypto';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { exchangeCounts } from '../../store/counts/shared-counts.ts';
import type { Database } from '../../store/database.ts';

/** The open streams of owners in all processes. */
export interface SharedStreams {
  /**
   * Publishes the open streams of an owner in this process.
   * @returns the open streams in other processes, as far as known: 0 while the database accepts no changes
   */
  publish(owner: string): Promise<number>;
  close(): void;
}

/** How often each process confirms its streams: if it is killed, they count for at most `WITHIN_S`. */
const CONFIRM_EVERY_MS = 10_000;
const WITHIN_S = 30;

/** @param openStreams returns the streams in this process, by owner */
export function createSharedStreams({
  db,
  log,
  openStreams,
}: {
  readonly db: Database;
  readonly log: Logger;
  readonly openStreams: () => ReadonlyMap<string, { readonly size: number }>;
}): SharedStreams {
  const process = randomUUID();
  const published = new Set<string>();
  const exchange = async (owners: readonly string[]): Promise<number> => {
    const own = owners.map((owner) => ({ name: `streams ${owner}`, amount: openStreams().get(owner)?.size ?? 0 }));
    const others = await exchangeCounts(db, { process, own, replaces: true, withinS: WITHIN_S });
    const newest = Map.groupBy(others, (other) => `${other.name} ${other.process}`).values();
    return newest.reduce((sum, of) => sum + (of.toSorted((one, other) => one.ageMs - other.ageMs)[0]?.amount ?? 0), 0);
  };
  const orNone = (error: unknown): number => {
    log.debug({ reason: messageOf(error) }, 'Could not share the number of event streams');
    return 0;
  };
  /** Owners whose last stream has ended are published once more. */
  const confirm = (): void => {
    const owners = new Set([...published, ...openStreams().keys()]);
    published.clear();
    for (const owner of openStreams().keys()) published.add(owner);
    if (owners.size > 0) void exchange([...owners]).catch(orNone);
  };
  const timer = setInterval(confirm, CONFIRM_EVERY_MS).unref();
  return {
    publish(owner) {
      published.add(owner);
      return exchange([owner]).catch(orNone);
    },
    close: () => clearInterval(timer),
  };
}
