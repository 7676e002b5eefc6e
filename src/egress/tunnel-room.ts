import type { Duplex } from 'node:stream';
import { type LimiterClock, limiterClock } from './host-limit/slot-queue.ts';
import { tunnelRestMs, tunnelsPerHostMax, tunnelTurnMs } from './limits.ts';

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
 * through it for `tunnelRestMs` since the server's last word. If none rests, the one is that was opened first, `tunnelTurnMs`
 * ago or earlier.
 */
export interface TunnelRoom {
  /** Begins a tunnel as soon as there is a place for it, unless its socket has closed before. */
  enter(host: string, socket: Duplex, begin: (place: TunnelPlace) => void): void;
}

interface Tunnel {
  readonly openedAt: number;
  restsSince: number | null;
}

interface Host {
  /** In the order in which they were opened. */
  readonly tunnels: Map<Duplex, Tunnel>;
  readonly waiting: Map<Duplex, (place: TunnelPlace) => void>;
  isTimed: boolean;
}

export function createTunnelRoom(clock: LimiterClock = limiterClock): TunnelRoom {
  const hosts = new Map<string, Host>();

  function serve(name: string, host: Host): void {
    for (const [socket, begin] of host.waiting) {
      if (host.tunnels.size >= tunnelsPerHostMax) {
        endOneTunnel(host, clock.now());
        serveLater(name, host);
        return;
      }
      host.waiting.delete(socket);
      const tunnel: Tunnel = { openedAt: clock.now(), restsSince: null };
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

/** Ends the tunnel that is the first to give way, if one has to, and not enough are ending. It leaves when it has closed. */
function endOneTunnel(host: Host, now: number): void {
  const tunnels = [...host.tunnels].flatMap(([socket, tunnel]) => (socket.destroyed ? [] : [{ socket, ...tunnel }]));
  if (host.tunnels.size - tunnels.length >= host.waiting.size) return;
  const restMs = ({ restsSince }: Tunnel): number => (restsSince === null ? 0 : now - restsSince);
  const [longest] = tunnels.toSorted((a, b) => restMs(b) - restMs(a));
  const [first] = tunnels;
  if (longest !== undefined && restMs(longest) >= tunnelRestMs) longest.socket.destroy();
  else if (first !== undefined && now - first.openedAt >= tunnelTurnMs) first.socket.destroy();
}
