import { PinoPretty } from 'pino-pretty';

/** Log lines for people. In this process, not in a worker thread, so that the last line before an exit is not lost. */
export function pinoPretty(): ReturnType<typeof PinoPretty> {
  return PinoPretty({ destination: 2, sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' });
}
