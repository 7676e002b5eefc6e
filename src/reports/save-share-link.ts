import { requireRoom } from '../platform/errors.ts';
import { keepSecret, newSecret } from '../platform/kept-secret.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { countSiteLinks, insertSiteLink, type NewSiteLink } from '../store/reports/site-links.ts';
import { requireSite } from '../store/reports/sites.ts';

/** Share links of sites and tags that an account can have: one for each site that it may create. */
export const shareLinksMax = 10_000;

/**
 * Creates a share link of a site or a tag.
 * @returns its id
 * @throws AppError invalid if the account does not have the site, or has the maximum number of links
 */
export function createShareLink(
  { db, credentialStore }: { readonly db: Executor; readonly credentialStore: CredentialStore },
  link: NewSiteLink,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    await lockAccount(trx, link.accountId);
    requireRoom(await countSiteLinks(trx, link.accountId), shareLinksMax, 'share links');
    if (link.siteId !== null) await requireSite(trx, link.accountId, link.siteId);
    return insertSiteLink(trx, link, keepSecret(credentialStore.box, newSecret()));
  });
}
