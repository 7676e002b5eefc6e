import type { Generated, Selectable } from 'kysely';

/** A link that opens the complete reports of a site, or of all sites with a tag. */
interface ShareLinkTable {
  id: Generated<string>;
  account_id: string;
  /** Who it is for. */
  name: string;
  /** Null for the link of a tag. */
  site_id: string | null;
  /** Null for the link of a site. */
  tag: string | null;
  secret_hash: Buffer;
  /** Sealed by `platform/kept-secret.ts`. */
  secret_sealed: Buffer;
  inserted_at: Generated<Date>;
}

export interface ShareLinkTables {
  share_links: ShareLinkTable;
}

export type ShareLink = Selectable<ShareLinkTable>;
