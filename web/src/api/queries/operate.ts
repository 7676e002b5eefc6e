import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** How often the screens for operators are read again while they are open. */
const INTERVAL_MS = 5_000;

/** The state of the installation. Fails with 403 unless the account is an operator. */
export const operationQuery = {
  ...itemQuery<'operation'>(['operate', 'operation'], '/operator'),
  refetchInterval: INTERVAL_MS,
};

/** A page of the list of processes. */
export function workersQuery(query: Query) {
  return { ...listQuery<'worker'>(['operate', 'workers'], '/operator/workers', query), refetchInterval: INTERVAL_MS };
}

/** A page of the list of failing channels of all accounts. */
export function failingChannelsQuery(query: Query) {
  return listQuery<'failing_channel'>(['operate', 'channels'], '/operator/channels', query);
}

/** A page of the list of the slowest sites. */
export function slowSitesQuery(query: Query) {
  return listQuery<'slow_site'>(['operate', 'slow_sites'], '/operator/slow_sites', query);
}

/** A page of the list of all accounts. */
export function operatedAccountsQuery(query: Query) {
  return listQuery<'operated_account'>(['operate', 'accounts'], '/operator/accounts', query);
}

/** A page of the audit log of the installation. */
export function operatorAuditLogQuery(query: Query) {
  return listQuery<'audit_entry'>(['operate', 'audit_log'], '/operator/audit_log', query);
}
