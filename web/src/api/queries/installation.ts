import { queryOptions } from '@tanstack/react-query';
import { read } from '../client.ts';

/** What everybody may know of this installation: who may sign up, and how to sign in. */
export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => read<'installation'>('/installation', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
