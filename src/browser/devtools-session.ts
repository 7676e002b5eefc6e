import type { CDPSession } from 'playwright-core';

/** A session of the DevTools protocol for a page. Sessions of Playwright have the same methods. */
export type DevtoolsSession = Pick<CDPSession, 'send' | 'on' | 'off'>;

/** A message of the protocol in a session: a response if it has an `id`, otherwise an event. */
export interface SessionMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Ids of commands are greater than this. Playwright counts its own commands from 1, and the browser responds to a command of a
 * closed session without naming the session.
 */
const idsAfter = 1_000_000_000;

/** A session that uses the pipe to the browser directly. */
export interface DirectSession {
  readonly session: DevtoolsSession;
  /** Whether an event has a listener. */
  listensTo(method: string): boolean;
  receive(message: SessionMessage): void;
  /** Rejects the commands that have no response yet, and all later commands. */
  end(): void;
}

/** @param write sends a command of the session to the browser */
export function createDirectSession(
  write: (command: { readonly id: number; readonly method: string; readonly params: unknown }) => void,
): DirectSession {
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const pending = new Map<number, PromiseWithResolvers<unknown> & { readonly method: string }>();
  let lastId = idsAfter;
  let isOver = false;
  const closed = (method: string): Error => new Error(`${method}: the page has been closed`);

  const session = {
    on(method: string, listener: (payload: unknown) => void) {
      listeners.set(method, (listeners.get(method) ?? new Set()).add(listener));
      return session;
    },
    off(method: string, listener: (payload: unknown) => void) {
      listeners.get(method)?.delete(listener);
      return session;
    },
    send(method: string, params: unknown = {}) {
      if (isOver) return Promise.reject(closed(method));
      lastId += 1;
      const response = { ...Promise.withResolvers<unknown>(), method };
      pending.set(lastId, response);
      write({ id: lastId, method, params });
      return response.promise;
    },
  };
  return {
    // The types of all commands and events are known only to Playwright.
    session: session as unknown as DevtoolsSession,
    listensTo: (method) => (listeners.get(method)?.size ?? 0) > 0,
    receive({ id, method = '', params, result, error }) {
      if (id === undefined) {
        for (const listener of [...(listeners.get(method) ?? [])]) listener(params);
        return;
      }
      const response = pending.get(id);
      pending.delete(id);
      if (error === undefined) response?.resolve(result);
      else response?.reject(new Error(`${response.method}: ${error.message}`));
    },
    end() {
      isOver = true;
      for (const { reject, method } of pending.values()) reject(closed(method));
      pending.clear();
    },
  };
}
