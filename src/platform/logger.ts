import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { DestinationStream, Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** Creates the process's log on standard error, because standard output is for results. */
export function createLogger(options: LogOptions, destination?: DestinationStream): Logger {
  const target = destination ?? (options.format === 'pretty' ? pinoPretty() : pino.destination(2));
  return pino({ level: options.level, base: null }, target);
}

/** Formats log lines for people. Not in a worker thread, so that the last line before an exit is not lost. */
function pinoPretty(): ReturnType<typeof PinoPretty> {
  return PinoPretty({ destination: 2, sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' });
}
