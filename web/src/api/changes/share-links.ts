import { create, type Item, remove } from '../client.ts';

/** Creates a link that opens the complete reports of a site, or of all sites with a tag. */
export function createShareLink(
  link: { readonly name: string } & ({ readonly site_id: string } | { readonly tag: string }),
): Promise<Item<'share_link'>> {
  return create<'share_link'>('/share_links', link);
}

/** Revokes a link, which stops working at once. */
export function revokeShareLink(id: string): Promise<void> {
  return remove(`/share_links/${id}`);
}
