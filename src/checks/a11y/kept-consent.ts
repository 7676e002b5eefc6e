import { type BrowserState, isEmptyState, mergedState, withoutSignIn } from '../../browser/browser-state.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { consentReportsMax, firstPageWaitMs } from './limits.ts';

/** What sites stored when their consent banners were dismissed, for the other pages of each report. */
export interface KeptConsent {
  /** Notes that the first page of a report is being checked. @returns a function to call when the check has ended */
  begin(report: string): () => void;
  /** Returns what the site has stored so far; null for nothing. Waits while the first page of the report is being checked. */
  read(report: string): Promise<BrowserState | null>;
  /** Leaves out what belongs to the credentials of the site. */
  add(report: string, stored: BrowserState, signIn: SignIn | undefined): void;
}

export function createKeptConsent(): KeptConsent {
  const first = new Map<string, Promise<void>>();
  const states = new Map<string, BrowserState>();
  return {
    begin(report) {
      const { promise, resolve } = Promise.withResolvers<void>();
      first.set(report, promise);
      return () => {
        if (first.get(report) === promise) first.delete(report);
        resolve();
      };
    },
    async read(report) {
      const checking = first.get(report);
      if (checking !== undefined) await inTimeOr(checking, firstPageWaitMs, undefined);
      return states.get(report) ?? null;
    },
    add(report, stored, signIn) {
      const state = signIn === undefined ? stored : withoutSignIn(stored, signIn);
      if (isEmptyState(state)) return;
      const known = states.get(report);
      states.delete(report);
      states.set(report, known === undefined ? state : mergedState(known, state));
      for (const oldest of [...states.keys()].slice(0, Math.max(0, states.size - consentReportsMax))) {
        states.delete(oldest);
      }
    },
  };
}
