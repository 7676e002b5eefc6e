import type { Logger } from '../platform/logger.ts';
import { CLAIMS_TOPIC } from '../store/work-topics.ts';
import { startBackgroundWork } from './background-work.ts';
import type { Worker } from './worker.ts';

/** The claims of this process on pieces of one kind of work. */
export interface HeldClaims<Piece> {
  /** @param membership of the worker, from before the claim, so that a claim made after its loss is known to be lost */
  add(pieces: readonly Piece[], membership: AbortSignal): void;
  /** Returns a signal that aborts when the claim is lost. */
  lossOf(piece: Piece): AbortSignal;
  /** To be called when a piece has ended. */
  remove(piece: Piece): void;
  stop(): Promise<void>;
}

/**
 * Notices which claims are lost: soon after reports were stopped or deleted, and every few seconds.
 * @param lostOf returns the pieces whose claims are lost; absent if only the membership ends claims
 */
export function holdClaims<Piece>(
  parts: { readonly worker: Pick<Worker, 'onWork'>; readonly log: Logger },
  lostOf?: (pieces: readonly Piece[]) => Promise<readonly Piece[]>,
): HeldClaims<Piece> {
  const held = new Map<Piece, { readonly membership: AbortSignal; readonly loss: AbortController }>();
  const looking =
    lostOf &&
    startBackgroundWork(parts, {
      topic: CLAIMS_TOPIC,
      async doNext() {
        const lost = held.size === 0 ? [] : await lostOf([...held.keys()]);
        for (const piece of lost) held.get(piece)?.loss.abort(new Error('The claim was lost'));
        return false;
      },
      failure: 'Could not check which claims are lost; will retry',
    });

  return {
    add(pieces, membership) {
      for (const piece of pieces) held.set(piece, { membership, loss: new AbortController() });
    },
    lossOf(piece) {
      const claim = held.get(piece);
      return claim === undefined ? AbortSignal.abort() : AbortSignal.any([claim.membership, claim.loss.signal]);
    },
    remove: (piece) => void held.delete(piece),
    stop: async () => looking?.stop(),
  };
}
