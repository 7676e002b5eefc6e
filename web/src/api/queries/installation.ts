import { itemQuery } from './resource-queries.ts';

/** Public facts about this installation: who may sign up, and how to sign in. */
export const installationQuery = {
  ...itemQuery<'installation'>(['installation'], '/installation'),
  staleTime: Number.POSITIVE_INFINITY,
};
