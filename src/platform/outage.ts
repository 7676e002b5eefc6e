import type { Logger } from './logger.ts';

/** The time during which a part does not work. */
export interface Outage {
  /** Begins the outage. @returns false if it had already begun */
  begin(): boolean;
  /** Ends the outage, if it has begun, and logs how long it lasted. */
  end(): void;
}

/** @param restored the log message when it ends, such as `The browser is working again` */
export function createOutage(log: Logger, restored: string): Outage {
  let since: number | null = null;
  return {
    begin() {
      const isFirst = since === null;
      since ??= Date.now();
      return isFirst;
    },
    end() {
      if (since === null) return;
      log.info({ seconds: Math.round((Date.now() - since) / 1_000) }, restored);
      since = null;
    },
  };
}
