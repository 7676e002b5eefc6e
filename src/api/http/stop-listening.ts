import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** During a longer turn of the event loop, clients may open connections that it doesn't notice. */
const calmTurnMs = 0.5;
/** With many new connections or a busy processor, no turn may be calm. The process has nine seconds to end. */
const waitMaxMs = 4_000;

/**
 * Closes the port of a server, but not the connections that have a request. Closing a port resets connections that have not been
 * accepted, and a proxy cannot know that nothing happened to their requests. One connection is accepted in each turn of the event
 * loop, so this waits, for at most 4 s, for a short turn without new connections.
 */
export async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  let isCalm = false;
  server.on('connection', () => {
    isCalm = false;
  });
  const startedAt = performance.now();
  let turnAt = startedAt;
  do {
    isCalm = true;
    await nextTurn();
    const previousAt = turnAt;
    turnAt = performance.now();
    isCalm &&= turnAt - previousAt < calmTurnMs;
  } while (!isCalm && turnAt - startedAt < waitMaxMs);
  server.close();
}
