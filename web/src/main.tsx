import './style/layers.css';
import './style/tokens.css';
import './style/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchPresence } from './api/presence.ts';
import { createQueryClient } from './api/query-client.ts';
import { followNavigation } from './frame/follow-navigation.ts';
import { createAppRouter } from './router.tsx';

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
