import { useEffect, useState } from 'react';
import { OfflineError } from 'sitewarden-client/errors';
import { onBack } from '../api/client.ts';

/** Replaces the failure of an action when the service responds again. It takes up as much space, so that nothing moves. */
export const IS_BACK = new Error('The service did not respond, but it is available again. Try again.');

/** Keeps the reason why an action failed, until another failure or null is set. */
export function useFailure(): readonly [failure: unknown, setFailure: (failure: unknown) => void] {
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => (failure instanceof OfflineError ? onBack(() => setFailure(IS_BACK)) : undefined), [failure]);
  return [failure, setFailure];
}
