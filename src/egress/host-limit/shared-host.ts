import type { HeldShare, HostShares, HostWish } from '../../domain/host-share.ts';
import type { HostLease } from './host-lease.ts';
import { createHostLimiter, type HostLimiter } from './host-limiter.ts';

/** Something that requests pages for a report, as fast as `requestsPerSecond` at most. */
export interface HostMember {
  readonly reportId: string;
  readonly requestsPerSecond: number;
}

/** This process's share in a host. */
export interface SharedHost {
  readonly members: Set<HostMember>;
  readonly acquire: HostLimiter['acquire'];
  /** Lets requests go on as long as the lease now says. */
  prolong(): void;
  /** Gives up what the lost lease gave. */
  lose(): void;
  /** Whether the database knows what is wanted. */
  isTold(): boolean;
  /** Whether this process has all that is wanted, and nothing else. */
  isSettled(): boolean;
  /** Whether there is nothing to be held here any more. */
  isIdle(): boolean;
  /** Tells the database what is wanted, and takes what may be had, unless that is under way. */
  tell(): void;
  /** Resolves when nothing is under way. */
  told(): Promise<void>;
}

export interface SharedHostParts {
  readonly shares: HostShares;
  readonly lease: HostLease;
  /** What all processes together may ask of the host. */
  readonly requestsPerSecond: number;
  readonly onError: (error: unknown) => void;
}

const NOTHING = { wish: { reports: 0, wanted: 0 }, slots: 0, due: 0 };

export function createSharedHost(name: string, parts: SharedHostParts): SharedHost {
  const { shares, lease, requestsPerSecond, onError } = parts;
  const members = new Set<HostMember>();
  const limiter = createHostLimiter();
  /** The wish that was told last, the slots that may be open by the database, and those that are due. */
  let held: HeldShare & { readonly wish: HostWish } = NOTHING;
  let telling: Promise<void> | null = null;

  const hold = (next: typeof held): void => {
    held = next;
    limiter.grant(Math.min(held.slots, held.due), lease.current()?.until ?? Number.NEGATIVE_INFINITY);
  };
  const wish = (): HostWish => {
    const rates = new Map<string, number>();
    for (const { reportId, requestsPerSecond: rate } of members) {
      rates.set(reportId, Math.max(rates.get(reportId) ?? 0, rate));
    }
    const wanted = [...rates.values()].reduce((sum, rate) => sum + rate, 0);
    return { reports: rates.size, wanted: Math.min(wanted, requestsPerSecond) };
  };
  const isTold = (): boolean => {
    const { reports, wanted } = wish();
    return held.wish.reports === reports && held.wish.wanted === wanted;
  };

  const tellOnce = async (): Promise<void> => {
    const current = await lease.ensure();
    const told = wish();
    const lower = (due: number): number => {
      hold({ ...held, due });
      return limiter.openCount();
    };
    const taken = await shares.take(name, requestsPerSecond, { ...told, lesseeId: current.id, lower });
    if (current === lease.current()) hold({ wish: told, ...taken });
  };
  /** Again where more came to be wanted meanwhile; what came to be less has time. */
  const tellAll = async (): Promise<void> => {
    do await tellOnce();
    while (wish().wanted > held.wish.wanted && lease.current() !== null);
  };

  return {
    members,
    acquire: limiter.acquire,
    prolong: () => hold(held),
    lose: () => hold(NOTHING),
    isTold,
    isSettled: () => isTold() && held.slots === held.wish.wanted && held.slots === held.due,
    isIdle: () => members.size === 0 && telling === null && held.slots === 0 && held.wish.reports === 0,
    tell() {
      telling ??= tellAll()
        .catch(onError)
        .finally(() => {
          telling = null;
        });
    },
    told: async () => telling ?? undefined,
  };
}
