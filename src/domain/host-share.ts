/** What a process wants of a host. */
export interface HostWish {
  /** Reports that it asks for. */
  readonly reports: number;
  /** Requests per second that they would have in all, at most the limit of the host. */
  readonly wanted: number;
}

/**
 * Divides what may be asked of a host among processes: nobody gets more than it wants, and where that is too much
 * together, one request per second after the other goes to each report in turn.
 *
 * @param first whose turn is first. Where there are more reports than requests, who begins changes with time.
 * @returns the share of each, in the order of the wishes
 */
function divideHost(requestsPerSecond: number, wishes: readonly HostWish[], first: number): number[] {
  const shares = wishes.map(() => 0);
  let left = requestsPerSecond;
  const give = (index: number): void => {
    const { reports, wanted } = wishes[index] ?? { reports: 0, wanted: 0 };
    const share = shares[index] ?? 0;
    const given = Math.min(reports, wanted - share, left);
    shares[index] = share + given;
    left -= given;
  };
  for (let before = -1; left > 0 && before !== left; ) {
    before = left;
    for (let turn = 0; turn < wishes.length; turn += 1) give((first + turn) % wishes.length);
  }
  return shares;
}

/** What a process holds of a host, and wants of it. */
export interface HostShare extends HostWish {
  readonly lesseeId: number;
  /** Slots that it may have open at a time: the sum over the processes never exceeds the limit of the host. */
  readonly slots: number;
}

/** Slots that a lessee may have open now, and those that are due to it. */
export interface HeldShare {
  readonly slots: number;
  readonly due: number;
}

export interface ShareClaim extends HostWish {
  readonly lesseeId: number;
  /** Called when the lessee is to have fewer slots open: from now on it opens none beyond, and tells how many it has. */
  lower(slots: number): number;
}

/**
 * What a lessee may have of a host now: less than its due while others have not yet given back what is not theirs any
 * more, and more while its own requests still count.
 *
 * @param turn a number that changes now and then, the same for all processes
 */
export function claimSlots(
  requestsPerSecond: number,
  shares: readonly HostShare[],
  claim: ShareClaim,
  turn: number,
): HeldShare {
  const { lesseeId } = claim;
  const others = shares.filter((share) => share.lesseeId !== lesseeId);
  const held = shares.find((share) => share.lesseeId === lesseeId)?.slots ?? 0;
  const wishes = [...others, claim].sort((a, b) => a.lesseeId - b.lesseeId);
  const due = divideHost(requestsPerSecond, wishes, turn)[wishes.indexOf(claim)] ?? 0;
  if (due < held) return { due, slots: Math.min(held, Math.max(due, claim.lower(due))) };
  const free = requestsPerSecond - others.reduce((sum, share) => sum + share.slots, 0);
  return { due, slots: Math.max(held, Math.min(due, free)) };
}

/** What all processes know of who holds which shares. */
export interface HostShares {
  /** Begins to be somebody who holds shares, for so many milliseconds from now. */
  beginLease(leaseMs: number): Promise<number>;
  /**
   * Goes on to be so.
   * @returns the hosts of the lessee at which more is wanted in all than may be; null when it has lost its shares
   */
  renewLease(
    lesseeId: number,
    options: { readonly leaseMs: number; readonly requestsPerSecond: number },
  ): Promise<readonly string[] | null>;
  /** Stops being so. What was held is free when the last requests no longer count. */
  endLease(lesseeId: number): Promise<void>;
  /** Frees the shares under leases that ended more than so many milliseconds ago. */
  removeEndedLeases(aftermathMs: number): Promise<void>;
  /**
   * Tells what a lessee wants of a host, and takes what it may have now.
   * @throws when the lease has ended
   */
  take(host: string, requestsPerSecond: number, claim: ShareClaim): Promise<HeldShare>;
}
