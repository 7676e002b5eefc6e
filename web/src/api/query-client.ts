import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

const retriesMax = 2;

/** Creates the cache of what was read. Events say what is stale, so nothing is fetched again because time has passed. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // A request that was refused would be refused again.
        retry: (failures, error) => failures < retriesMax && !(error instanceof ApiError && error.status < 500),
        // The service may be on this machine while the network is down.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
