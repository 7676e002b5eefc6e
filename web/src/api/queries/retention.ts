import { itemQuery } from './resource-queries.ts';

/** The rules that decide which reports of the account are kept. */
export const retentionQuery = itemQuery<'retention'>(['retention'], '/retention');
