import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { tunnelRestMs, tunnelsPerHostMax, tunnelTurnMs } from '../../src/egress/limits.ts';
import { createTunnelRoom, type TunnelPlace, type TunnelRoom } from '../../src/egress/tunnel-room.ts';
import { virtualClock } from '../helpers/virtual-clock.ts';

/** The browser's side of a tunnel, and its place once it has one. */
interface Tunnel {
  readonly socket: PassThrough;
  place: TunnelPlace | null;
}

describe('the room for tunnels to a host', () => {
  let time: ReturnType<typeof virtualClock>;
  let room: TunnelRoom;
  let full: Tunnel[];
  const open = (host: string): Tunnel => {
    const tunnel: Tunnel = { socket: new PassThrough(), place: null };
    room.enter(host, tunnel.socket, (place) => {
      tunnel.place = place;
      tunnel.socket.on('close', () => place.leave());
    });
    return tunnel;
  };
  const pass = async (ms: number): Promise<void> => {
    time.clock.after(ms, () => undefined);
    await time.run();
  };
  const areOpen = (...tunnels: Tunnel[]): boolean[] => tunnels.map(({ place }) => place !== null);

  beforeEach(() => {
    time = virtualClock();
    room = createTunnelRoom(time.clock);
    full = Array.from({ length: tunnelsPerHostMax }, () => open('host.example'));
  });

  it('is given in order when a tunnel ends, and to other hosts at once', () => {
    const [first, second, other] = [open('host.example'), open('host.example'), open('other.example')];
    assert(full.every(({ place }) => place !== null));
    assert.deepEqual(areOpen(first, second, other), [false, false, true]);
    full[7]?.place?.leave();
    full[7]?.place?.leave();
    assert.deepEqual(areOpen(first, second), [true, false]);
    full[3]?.place?.leave();
    assert.deepEqual(areOpen(second), [true]);
  });

  it('is not given to who has gone', async () => {
    const [gone, next] = [open('host.example'), open('host.example')];
    gone.socket.destroy();
    await once(gone.socket, 'close');
    full[0]?.place?.leave();
    assert.deepEqual(areOpen(gone, next), [false, true]);
  });

  it('is taken from the tunnels that have rested longest, where somebody waits', async () => {
    const [first, second, third] = full;
    second?.place?.passed('server');
    await pass(10);
    for (const tunnel of [first, third]) tunnel?.place?.passed('server');
    third?.place?.passed('browser');
    await pass(2 * tunnelRestMs);
    assert(
      full.every(({ socket }) => !socket.destroyed),
      'nobody waits',
    );
    const waiting = [open('host.example'), open('host.example')];
    await setImmediate();
    assert.deepEqual(areOpen(...waiting), [true, true]);
    const ended = full.filter(({ socket }) => socket.destroyed);
    assert.deepEqual(new Set(ended), new Set([first, second]));

    const last = open('host.example');
    third?.place?.passed('server');
    const restsFrom = time.clock.now();
    assert.deepEqual(areOpen(last), [false]);
    await time.run();
    assert.deepEqual([...areOpen(last), third?.socket.destroyed], [true, true]);
    assert(time.clock.now() - restsFrom >= tunnelRestMs);
  });

  it('is taken in the end from a tunnel that never rests, the first one of all', async () => {
    const waiting = open('host.example');
    await time.run();
    assert.deepEqual(areOpen(waiting), [true]);
    assert(time.clock.now() >= tunnelTurnMs);
    assert.deepEqual(
      full.filter(({ socket }) => socket.destroyed),
      [full[0]],
    );
  });
});
