import { type DestinationStream, type Logger, pino } from 'pino';
import { pinoPretty } from './pretty.ts';

export type { Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** The process's log, on standard error so that standard output stays for results. */
export function createLogger(options: LogOptions, destination?: DestinationStream): Logger {
  const target = destination ?? (options.format === 'pretty' ? pinoPretty() : pino.destination(2));
  return pino({ level: options.level, base: null }, target);
}
