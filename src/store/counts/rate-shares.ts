import type { CountExchange } from './count-exchange.ts';

/** How long after its last request a process has a share of a rate. */
export const SHARE_MS = 15_000;

/** Finds out how many other processes share a rate, so that all of them together stay within it. */
export interface ConnectedRateShares {
  readonly onRequest: (rate: string) => void;
  readonly othersOn: (rate: string) => number;
  /** Until this is called, the process knows of no others. */
  connect(exchange: Pick<CountExchange, 'add' | 'others'>): void;
}

export function createRateShares(): ConnectedRateShares {
  let exchange: Pick<CountExchange, 'add' | 'others'> | null = null;
  return {
    onRequest: (rate) => exchange?.add(rate),
    othersOn: (rate) => new Set(exchange?.others(rate).map(({ process }) => process)).size,
    connect(connected) {
      exchange = connected;
    },
  };
}
