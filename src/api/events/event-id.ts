import type { ChangeCursor } from '../../store/report-changes.ts';

/** `TIME-XMIN:XMAX:RUNNING`, where RUNNING are ids of transactions, separated by commas. */
const EVENT_ID = /^(\d{1,12})-(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18}){0,200})?)$/;

/** Returns the id of the last event before a cursor. Clients return it in `Last-Event-ID`. */
export function eventIdOf({ time, snapshot }: ChangeCursor): string {
  return `${time}-${snapshot}`;
}

/** Parses an event id; null if it is none. It may still be of another database. */
export function parseEventId(text: string): ChangeCursor | null {
  const [, time, xmin, xmax, running] = EVENT_ID.exec(text) ?? [];
  if (time === undefined || xmin === undefined || xmax === undefined || running === undefined) return null;
  // PostgreSQL rejects a snapshot that is not in order.
  const ids = [BigInt(xmin), ...running.split(',').flatMap((id) => (id === '' ? [] : BigInt(id))), BigInt(xmax)];
  const isInOrder = ids.every((id, index) => id > 0n && id >= (ids[index - 1] ?? 0n));
  const isOpenEnded = running === '' || ids.at(-2) !== ids.at(-1);
  return isInOrder && isOpenEnded ? { time: Number(time), snapshot: `${xmin}:${xmax}:${running}` } : null;
}
