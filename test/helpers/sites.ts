import { DEFAULT_DEFINITION, type ReportDefinition } from '../../src/domain/report-definition.ts';
import { createSite, type SiteContents } from '../../src/reports/save-site.ts';
import type { Database } from '../../src/store/database.ts';
import { credentialStore } from './credential-store.ts';

/** The contents of a site with HTML checks and the given settings. */
export function siteContents(settings: Partial<ReportDefinition>): SiteContents {
  const definition = { ...DEFAULT_DEFINITION, checks: ['html'], ...settings };
  return { name: '', notes: '', isArchived: false, definition, siteAccess: null };
}

/** Creates a site. Reports with its starting URL and settings belong to it, even if other sites have that URL. */
export function seedSite(
  db: Database,
  accountId: string,
  settings: Partial<ReportDefinition>,
  name = '',
): Promise<string> {
  return createSite({ db, credentialStore }, accountId, { ...siteContents(settings), name });
}
