import type { CDPSession } from 'playwright-core';
import { inTimeOr } from '../platform/in-time.ts';
import { sessionEndMs } from './limits.ts';

/** Ends a DevTools session. Never rejects, and does not wait for a page that hangs. */
export async function endSession(cdp: CDPSession): Promise<void> {
  await inTimeOr(cdp.detach(), sessionEndMs, undefined);
}
