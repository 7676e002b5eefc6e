import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { DestinationStream, Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** Creates the process's log on standard error, because standard output is for results. */
export function createLogger(options: LogOptions, destination?: DestinationStream): Logger {
  const target = destination ?? (options.format === 'pretty' ? pinoPretty() : pino.destination(2));
  return pino({ level: options.level, base: null, hooks: { logMethod: countRepeatedWarnings() } }, target);
}

/**
 * For this long after a warning was logged, its repetitions are only counted. An outage causes the same warning for all work in
 * progress.
 */
const repeatMs = 60_000;
/** Number of different warnings with the same reason in this time, after which others with this reason are only counted, too. */
const sameReasonMax = 8;
/** Reasons are foreign text: beyond this number, all of them are forgotten. */
const rememberedReasonsMax = 100;

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/**
 * Returns a hook that counts repeated warnings instead of logging them. The next line with the same message says how many were
 * left out, as `repeated`. Messages are constants, so only few are remembered.
 */
function countRepeatedWarnings(): LogMethod {
  const logged = new Map<string, { readonly at: number; repeated: number }>();
  const reasons = new Map<string, { readonly at: number; warnings: number }>();
  /** Whether the same reason has caused too many different warnings. */
  const isFrequent = (reason: unknown): boolean => {
    if (typeof reason !== 'string') return false;
    if (reasons.size > rememberedReasonsMax) reasons.clear();
    const known = reasons.get(reason);
    if (known === undefined || Date.now() - known.at >= repeatMs) {
      reasons.set(reason, { at: Date.now(), warnings: 1 });
      return false;
    }
    known.warnings += 1;
    return known.warnings > sameReasonMax;
  };
  return function log(args, method, level) {
    const [fields, message] = args as unknown[];
    if (level !== pino.levels.values['warn'] || typeof message !== 'string') return method.apply(this, args);
    const last = logged.get(message);
    if (last !== undefined && Date.now() - last.at < repeatMs) {
      last.repeated += 1;
      return;
    }
    const repeated = last?.repeated ?? 0;
    if (isFrequent(Object(fields).reason)) {
      logged.set(message, { at: Number.NEGATIVE_INFINITY, repeated: repeated + 1 });
      return;
    }
    logged.set(message, { at: Date.now(), repeated: 0 });
    method.apply(this, repeated === 0 ? args : [{ ...Object(fields), repeated }, message]);
  };
}

/** Formats log lines for people. Not in a worker thread, so that the last line before an exit is not lost. */
function pinoPretty(): ReturnType<typeof PinoPretty> {
  return PinoPretty({ destination: 2, sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' });
}
