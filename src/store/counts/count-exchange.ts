import { randomUUID } from 'node:crypto';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Database } from '../database.ts';
import { exchangeCounts, removeOldCounts, type SharedCount } from './shared-counts.ts';

/** What another process has used, and for how long it counts. */
export interface UseOfOther {
  readonly process: string;
  readonly amount: number;
  /** Milliseconds from now. */
  readonly countsForMs: number;
}

/** Counts that all processes of an installation exchange through its database, so that limits hold for all of them together. */
export interface CountExchange {
  /**
   * Counts a use by this process. Never waits: other processes learn of it within two seconds.
   * @param urgentAt number of unpublished uses that are published at once, as is the first use of a name. Default: all uses wait
   */
  add(name: string, urgentAt?: number): void;
  /** Returns what other processes have used, as far as this process knows: nothing while the database accepts no changes. */
  others(name: string): readonly UseOfOther[];
  /** Publishes and reads now. Never rejects. */
  exchange(): Promise<void>;
  close(): Promise<void>;
}

export interface CountExchangeOptions {
  readonly db: Database;
  readonly log: Logger;
  /** How long a use counts. */
  readonly withinMs: number;
}

const EXCHANGE_EVERY_MS = 2_000;
/** Uses of several names are published together. */
const URGENT_DELAY_MS = 50;
const CLEAN_EVERY_MS = 60_000;
/** Names published in one statement. The others follow in the next. */
const NAMES_MAX = 5_000;

export function createCountExchange({ db, log, withinMs }: CountExchangeOptions): CountExchange {
  const process = randomUUID();
  let unpublished = new Map<string, number>();
  let known = new Map<
    string,
    { readonly uses: readonly (UseOfOther & { readonly until: number })[]; readonly until: number }
  >();
  let cleanedAt = performance.now();
  let isFailing = false;
  let running: Promise<void> = Promise.resolve();
  let urgent: NodeJS.Timeout | null = null;

  /** Returns whether there was anything to publish. */
  const publish = async (): Promise<boolean> => {
    urgent = null;
    const own = [...unpublished].slice(0, NAMES_MAX).map(([name, amount]): SharedCount => ({ name, amount }));
    if (own.length === 0) return false;
    for (const { name } of own) unpublished.delete(name);
    const others = await exchangeCounts(db, { process, own, replaces: false, withinS: withinMs / 1_000 });
    const now = performance.now();
    const byName = Map.groupBy(others, ({ name }) => name);
    for (const { name } of own) {
      const uses = (byName.get(name) ?? []).map((use) => ({
        ...use,
        countsForMs: 0,
        until: now + withinMs - use.ageMs,
      }));
      known.set(name, { uses, until: now + withinMs });
    }
    if (now - cleanedAt < CLEAN_EVERY_MS) return true;
    cleanedAt = now;
    known = new Map([...known].filter(([, { until }]) => until > now));
    await removeOldCounts(db);
    return true;
  };
  const exchange = (): Promise<void> => {
    running = running.then(publish).then(
      (hasPublished) => {
        if (hasPublished) isFailing = false;
      },
      (error: unknown) => {
        // The limits hold in each process in the meantime.
        if (!isFailing)
          log.warn({ reason: messageOf(error) }, 'Limits apply to this process only: the database is unavailable');
        isFailing = true;
        unpublished = new Map();
      },
    );
    return running;
  };
  const timer = setInterval(exchange, EXCHANGE_EVERY_MS).unref();

  return {
    add(name, urgentAt) {
      const amount = (unpublished.get(name) ?? 0) + 1;
      unpublished.set(name, amount);
      if (urgentAt === undefined || urgent !== null || isFailing) return;
      const isNew = !known.has(name) && amount === 1;
      if (isNew || amount >= urgentAt) {
        urgent = setTimeout(exchange, URGENT_DELAY_MS).unref();
      }
    },
    others(name) {
      const now = performance.now();
      const uses = known.get(name)?.uses.filter(({ until }) => until > now) ?? [];
      return uses.map(({ process: of, amount, until }) => ({ process: of, amount, countsForMs: until - now }));
    },
    exchange,
    async close() {
      clearInterval(timer);
      if (urgent !== null) clearTimeout(urgent);
      await running;
    },
  };
}
