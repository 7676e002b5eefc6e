import type { SiteAccess } from '../../domain/site-access.ts';
import type { Executor } from '../database.ts';
import type { CredentialStore } from './credential-store.ts';

/**
 * Returns the credentials of a site with a login, which its reports and schedules share; null for other sites.
 * @param startingUrl of the report or schedule: credentials are not sent to other origins
 * @throws UnreadableAccess
 */
export async function findSiteLogin(
  db: Executor,
  credentialStore: CredentialStore,
  siteId: string,
  startingUrl: string,
): Promise<SiteAccess | null> {
  const site = await db
    .selectFrom('sites')
    .select(['site_access', 'starting_url'])
    .where('id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (new URL(site.starting_url).origin !== new URL(startingUrl).origin) return null;
  const access = credentialStore.open(site.site_access, `site ${siteId}`);
  return (access.login ?? null) === null ? null : access;
}
