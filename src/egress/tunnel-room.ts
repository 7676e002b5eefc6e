import type { Duplex } from 'node:stream';
import { type LimiterClock, limiterClock } from './host-limit/slot-queue.ts';
import { tunnelRestMs, tunnelsPerHostMax } from './limits.ts';

/** A tunnel's place among those to its host. */
export interface TunnelPlace {
  /** Something went through the tunnel. */
  passed(from: 'browser' | 'server'): void;
  /** The tunnel has ended. */
  leave(): void;
}

/**
 * Limits the tunnels to each host, over all pages of the browser: what goes through a tunnel cannot be seen, so that only
 * their number can be limited. Who comes when there are enough waits, in order, for one that ends.
 *
 * Browsers keep connections for later. Where somebody waits, the one is ended that has rested longest: nothing has gone
 * through it for `tunnelRestMs` since the server's last word.
 */
export interface TunnelRoom {
  /** Begins a tunnel as soon as there is a place for it, unless its socket has closed before. */
  enter(host: string, socket: Duplex, begin: (place: TunnelPlace) => void): void;
}

interface Host {
  readonly tunnels: Map<Duplex, { restsSince: number | null }>;
  readonly waiting: Map<Duplex, (place: TunnelPlace) => void>;
  isTimed: boolean;
}

export function createTunnelRoom(clock: LimiterClock = limiterClock): TunnelRoom {
  const hosts = new Map<string, Host>();

  function serve(name: string, host: Host): void {
    for (const [socket, begin] of host.waiting) {
      if (host.tunnels.size >= tunnelsPerHostMax) {
        endRestingTunnel(host, clock.now() - tunnelRestMs);
        serveLater(name, host);
        return;
      }
      host.waiting.delete(socket);
      const tunnel: { restsSince: number | null } = { restsSince: null };
      host.tunnels.set(socket, tunnel);
      begin({
        passed(from) {
          tunnel.restsSince = from === 'server' ? clock.now() : null;
        },
        leave() {
          if (host.tunnels.delete(socket)) serve(name, host);
        },
      });
    }
    if (host.tunnels.size === 0) hosts.delete(name);
  }

  function serveLater(name: string, host: Host): void {
    if (host.isTimed) return;
    host.isTimed = true;
    clock.after(tunnelRestMs / 4, () => {
      host.isTimed = false;
      serve(name, host);
    });
  }

  return {
    enter(name, socket, begin) {
      const host = hosts.get(name) ?? { tunnels: new Map(), waiting: new Map(), isTimed: false };
      hosts.set(name, host);
      host.waiting.set(socket, begin);
      socket.on('close', () => host.waiting.delete(socket));
      serve(name, host);
    },
  };
}

/** Ends the tunnel that has rested longest, if it has since the given time. It leaves when it has closed. */
function endRestingTunnel({ tunnels }: Host, since: number): void {
  const [longest] = [...tunnels]
    .flatMap(([socket, { restsSince }]) => (restsSince === null || socket.destroyed ? [] : [{ socket, restsSince }]))
    .toSorted((a, b) => a.restsSince - b.restsSince);
  if (longest !== undefined && longest.restsSince <= since) longest.socket.destroy();
}
