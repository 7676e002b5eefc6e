import './style/layers.css';
import './style/tokens.css';
import './style/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from 'sitewarden-client/errors';
import { watchPresence } from './api/presence.ts';
import { createAppRouter } from './router.tsx';
import { followNavigation } from './shell/follow-navigation.ts';

/** How often a request that failed for a temporary reason is repeated. */
const retriesMax = 2;

/** How often a screen tries to load again during an outage. */
const outageRetryMs = 5_000;

const element = document.getElementById('app');
if (element === null) throw new Error('The page has no element #app.');
const queries = createQueryClient();
const router = createAppRouter(queries);
followNavigation(router);
watchPresence();

createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

/** Creates the query cache. Events mark data as stale, so nothing is refetched merely because time has passed. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) => failures < retriesMax && mayPass(error),
        // Data that could not be loaded during an outage appears when the service is back, without a click.
        refetchInterval: ({ state }) => state.error !== null && mayPass(state.error) && outageRetryMs,
        // The service may be on this machine while the network is down.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** Whether an error may be temporary: a refused request would be refused again. */
function mayPass(error: Error): boolean {
  return !(error instanceof ApiError && error.status < 500);
}
