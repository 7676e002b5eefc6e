import type { HostUser } from '../egress/host-limit/host-limits.ts';
import type { Slot } from '../egress/host-limit/slot-queue.ts';
import type { RequestLimiter } from './rate-limiter.ts';

/** A report's limiter whose requests keep to the limits of their hosts, too. */
export function limitedByHost(limiter: RequestLimiter, user: HostUser): RequestLimiter {
  return {
    ...limiter,
    async acquire(signal, url) {
      const own = await limiter.acquire(signal, url);
      try {
        return together(own, await user.acquire(signal, url));
      } catch (error) {
        own.over();
        throw error;
      }
    },
  };
}

function together(one: Slot, other: Slot): Slot {
  const both = (what: keyof Slot) => (): void => {
    one[what]();
    other[what]();
  };
  return { written: both('written'), answered: both('answered'), over: both('over') };
}
