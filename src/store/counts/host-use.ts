import type { CountExchange } from './count-exchange.ts';

/** How long after its last request a process has a share of a host. */
export const HOST_SHARE_MS = 15_000;

/** Finds out which other processes request a host, so that all of them together keep its limit. */
export interface SharedHostUse {
  readonly onRequest: (host: string) => void;
  readonly othersOn: (host: string) => number;
  /** Until this, the process does not know of others. */
  connect(exchange: Pick<CountExchange, 'add' | 'others'>): void;
}

export function createHostUse(): SharedHostUse {
  let exchange: Pick<CountExchange, 'add' | 'others'> | null = null;
  const nameOf = (host: string): string => `host ${host}`;
  return {
    onRequest: (host) => exchange?.add(nameOf(host)),
    othersOn: (host) => new Set(exchange?.others(nameOf(host)).map(({ process }) => process)).size,
    connect(connected) {
      exchange = connected;
    },
  };
}
