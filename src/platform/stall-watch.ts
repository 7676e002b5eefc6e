import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from './logger.ts';

/** Longer stalls of the event loop are reported, because no request is handled during them. */
const stallMs = 250;
/** Time between two measurements, which is about the precision of a stall's length. */
const lookMs = 50;

/**
 * Logs and counts stalls of this process's event loop. Work that grows with the input from a site belongs in a thread or in
 * slices; this detects the exceptions.
 */
export function watchStalls(registry: Registry, log: Pick<Logger, 'warn'>): { stop(): void } {
  const registers = [registry];
  const stalls = new Counter({
    name: 'sitewarden_event_loop_stalls_total',
    help: `Stalls of the event loop of more than ${stallMs} ms`,
    registers,
  });
  const longest = new Gauge({
    name: 'sitewarden_event_loop_stall_longest_seconds',
    help: 'The longest stall since the process started',
    registers,
  });
  let longestMs = 0;
  let due = performance.now() + lookMs;
  const look = (): void => {
    const lateMs = performance.now() - due;
    due = performance.now() + lookMs;
    if (lateMs <= stallMs) return;
    log.warn({ ms: Math.round(lateMs) }, 'The event loop was blocked');
    stalls.inc();
    longestMs = Math.max(longestMs, lateMs);
    longest.set(longestMs / 1_000);
  };
  const timer = setInterval(look, lookMs).unref();
  return { stop: () => clearInterval(timer) };
}
