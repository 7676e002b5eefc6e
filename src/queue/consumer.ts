import { setTimeout as delay } from 'node:timers/promises';
import { mayBeDone } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { WorkTopic } from '../store/work-topics.ts';
import { type HeldClaims, holdClaims } from './held-claims.ts';
import { createLockedRetry } from './locked-retry.ts';
import type { Worker } from './worker.ts';

/** The pause after a failed claim. */
const RETRY_DELAY_MS = 1_000;

/** A kind of work in pieces, of which a process runs several at a time. */
export interface ConsumedWork<Piece> {
  readonly topic: WorkTopic;
  /** Pieces that run at a time. */
  readonly concurrency: number;
  /** Pieces that are claimed at a time. If that many were claimed, there may be more. */
  readonly batch: number;
  /** Pieces to claim ahead, so that runs do not wait for the database; 0 claims only when a piece can run. */
  readonly ahead: number;
  /**
   * @param except owners whose pieces must not be claimed
   * @param onLocked to be called if another transaction has locked the work: nothing is announced when that transaction ends
   */
  claim(limit: number, except: readonly string[], onLocked: () => void): Promise<readonly Piece[]>;
  /** Returns the pieces whose claims are lost, so that their runs end. By default, claims end with the membership. */
  lostOf?(pieces: readonly Piece[]): Promise<readonly Piece[]>;
  /**
   * Returns the account that a piece is for. If given, an account starts a piece only while it has fewer pieces running than
   * there are free places, so that other accounts need not wait for pieces that take long. By default, pieces run in the order of
   * their claims.
   */
  ownerOf?(piece: Piece): string;
  /** Never rejects. */
  run(piece: Piece, means: RunMeans): Promise<void>;
  /**
   * Releases a piece that was never run. Never rejects.
   * @param signal is aborted when the consumer stops
   */
  giveBack(piece: Piece, signal: AbortSignal): Promise<void>;
}

/** Context of a running piece. */
export interface RunMeans {
  /** Aborts when the consumer stops. */
  readonly signal: AbortSignal;
  /** Aborts when the claim of the piece is lost: its result is not saved. */
  readonly lost: AbortSignal;
  /** Waits without counting as running. Continues immediately afterwards, so more pieces than allowed may run for a while. */
  stepAside<T>(wait: () => Promise<T>): Promise<T>;
}

export interface Consumer {
  /** Looks for work to claim. */
  wake(): void;
  /** Releases the waiting pieces, and claims none until `over` resolves. Does nothing during a pause. */
  pause(over: (stopping: AbortSignal) => Promise<unknown>): void;
  /** Resolves when nothing runs and all waiting pieces are released. */
  stop(): Promise<void>;
}

/** Claims work when there may be some, and keeps `concurrency` pieces running, until stopped. */
export function startConsumer<Piece>(
  { worker, log }: { readonly worker: Pick<Worker, 'onWork' | 'rejoin' | 'membership'>; readonly log: Logger },
  work: ConsumedWork<Piece>,
): Consumer {
  const stopping = new AbortController();
  const waiting: Piece[] = [];
  const claims = holdClaims({ worker, log }, work.lostOf);
  const giveBack = createGiveBack(work, claims, stopping.signal);
  const runner = createRunner(work, claims, stopping.signal, () => fill());
  let claiming: Promise<void> | null = null;
  let isWorkLikely = true;
  /** The same for owners without waiting pieces. */
  let isOtherWorkLikely = true;
  let isPaused = false;

  const claim = async (limit: number, except: readonly string[]): Promise<void> => {
    // The claim may miss work that is announced from now on.
    isOtherWorkLikely = false;
    if (except.length === 0) isWorkLikely = false;
    try {
      const membership = worker.membership();
      const pieces = await work.claim(limit, except, locked.onLocked);
      claims.add(pieces, membership);
      waiting.push(...pieces);
      if (isPaused) void giveBack(waiting.splice(0));
      if (pieces.length === limit) isOtherWorkLikely = true;
      if (pieces.length === limit && except.length === 0) isWorkLikely = true;
    } catch (error) {
      log.warn({ reason: messageOf(error), topic: work.topic }, 'Could not claim work; will retry');
      // The claim may have succeeded without a response. Only a new membership releases it.
      if (mayBeDone(error)) worker.rejoin();
      await delay(RETRY_DELAY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      isWorkLikely = true;
      isOtherWorkLikely = true;
    }
    claiming = null;
    fill();
  };

  const ownedLike = (piece: Piece) => (other: Piece) => work.ownerOf?.(other) === work.ownerOf?.(piece);
  const freePlaces = (): number => work.concurrency - runner.busy().length;
  const leavesEnough = (piece: Piece): boolean =>
    work.ownerOf === undefined || runner.busy().filter(ownedLike(piece)).length < freePlaces();

  const startWaiting = (): void => {
    while (freePlaces() > 0) {
      const next = waiting.findIndex(leavesEnough);
      if (next === -1) break;
      for (const piece of waiting.splice(next, 1)) {
        runner.start(piece);
        // Claims may have left out its owner while it had waiting pieces.
        if (!waiting.some(ownedLike(piece))) isOtherWorkLikely = true;
      }
    }
  };

  const fill = (): void => {
    if (isPaused || stopping.signal.aborted) return;
    startWaiting();
    if (claiming !== null) return;
    const free = freePlaces();
    if (isWorkLikely && waiting.length < free + work.ahead) {
      claiming = claim(work.batch, []);
    } else if (isOtherWorkLikely && work.ownerOf !== undefined && waiting.length > 0 && free > 0) {
      claiming = claim(free, [...new Set(waiting.map(work.ownerOf))]);
    }
  };

  const look = (): void => {
    isWorkLikely = true;
    isOtherWorkLikely = true;
    fill();
  };
  const locked = createLockedRetry(look);
  const wake = (): void => {
    locked.reset();
    look();
  };

  const off = worker.onWork(work.topic, wake);
  fill();

  return {
    wake,
    pause(over) {
      if (isPaused) return;
      isPaused = true;
      void giveBack(waiting.splice(0));
      void over(stopping.signal).finally(() => {
        isPaused = false;
        wake();
      });
    },
    async stop() {
      off();
      stopping.abort();
      await claiming;
      locked.stop();
      await runner.ended();
      await claims.stop();
      await giveBack(waiting.splice(0));
    },
  };
}

/** Returns a function that gives pieces back. It resolves when all pieces so far are released. */
function createGiveBack<Piece>(
  work: Pick<ConsumedWork<Piece>, 'giveBack'>,
  claims: HeldClaims<Piece>,
  signal: AbortSignal,
): (pieces: readonly Piece[]) => Promise<unknown> {
  let released: Promise<unknown> = Promise.resolve();
  return (pieces) => {
    for (const piece of pieces) claims.remove(piece);
    released = Promise.all([released, ...pieces.map((piece) => work.giveBack(piece, signal))]);
    return released;
  };
}

/**
 * Runs pieces, and knows the busy ones: all in progress, except pieces that stepped aside.
 * @param onRoom is called when fewer pieces are busy
 */
function createRunner<Piece>(
  { run }: Pick<ConsumedWork<Piece>, 'run'>,
  claims: HeldClaims<Piece>,
  signal: AbortSignal,
  onRoom: () => void,
) {
  const underWay = new Set<{ readonly piece: Piece; isAside: boolean; ended: Promise<void> }>();
  const busy = (): Piece[] => [...underWay].flatMap(({ piece, isAside }) => (isAside ? [] : [piece]));

  return {
    busy,
    start(piece: Piece): void {
      const entry = { piece, isAside: false, ended: Promise.resolve() };
      underWay.add(entry);
      const stepAside = async <T>(wait: () => Promise<T>): Promise<T> => {
        entry.isAside = true;
        onRoom();
        try {
          return await wait();
        } finally {
          entry.isAside = false;
        }
      };
      entry.ended = run(piece, { signal, lost: claims.lossOf(piece), stepAside }).finally(() => {
        underWay.delete(entry);
        claims.remove(piece);
        onRoom();
      });
    },
    ended: () => Promise.all([...underWay].map(({ ended }) => ended)),
  };
}
