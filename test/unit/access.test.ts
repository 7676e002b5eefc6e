import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessTo, mayReadContent, NO_ACCOUNT } from '../../src/accounts/access.ts';
import type { Failure } from '../../src/domain/failures/failure.ts';
import type { Report } from '../../src/store/schema.ts';

const [owner, host, stranger] = ['owner', 'host', 'stranger'].map((accountId) => ({ accountId, link: null }));
const link = { accountId: NO_ACCOUNT, link: { opens: 'report', id: 'report' } } as const;
const otherLink = { accountId: NO_ACCOUNT, link: { opens: 'report', id: 'other' } } as const;
const siteLink = { accountId: NO_ACCOUNT, link: { opens: 'sites', id: 'link', siteIds: ['site'] } } as const;
const otherSiteLink = { accountId: NO_ACCOUNT, link: { opens: 'sites', id: 'link', siteIds: ['other'] } } as const;
const viewers = { owner, host, stranger, link, otherLink, siteLink, otherSiteLink };
const ENDED = { first_finished_at: new Date(), status: 'finished', temporary: false, crawl_error: null } as const;

/** What each viewer may do with a report. */
function accessOf(
  report: { readonly shared: boolean; readonly site_access: Buffer | null },
  state: Partial<Pick<Report, keyof typeof ENDED>> = {},
): Record<string, string> {
  const whole = { id: 'report', account_id: 'owner', host_id: 'host', site_id: 'site', ...ENDED, ...state, ...report };
  const entries = Object.entries(viewers).map(([name, viewer]) => {
    assert.ok(viewer);
    return [name, `${accessTo(whole, viewer)}${mayReadContent(whole, viewer) ? ', with content' : ''}`] as const;
  });
  return Object.fromEntries(entries);
}

const OWN = {
  ...{ owner: 'all, with content', host: 'all, with content', otherLink: 'none' },
  ...{ siteLink: 'read, with content', otherSiteLink: 'none' },
};

test('a private report is for its owner and its host', () => {
  const nobody = { ...OWN, stranger: 'none', link: 'none' };
  assert.deepEqual(accessOf({ shared: false, site_access: null }), nobody);
});

test('a shared report is for every account, and for those who have its link', () => {
  const everybody = { ...OWN, stranger: 'read, with content', link: 'read, with content' };
  assert.deepEqual(accessOf({ shared: true, site_access: null }), everybody);
});

test('source and screenshots of a report that signs in are not shared', () => {
  const withoutContent = { ...OWN, stranger: 'read', link: 'read', siteLink: 'read' };
  assert.deepEqual(accessOf({ shared: true, site_access: Buffer.from('sealed') }), withoutContent);
});

test('the link of a site opens only its complete reports', () => {
  const stopped: Failure = { code: 'report_stopped', params: {} };
  for (const state of [
    { first_finished_at: null, status: 'crawling' },
    { status: 'failed' },
    { temporary: true },
    { crawl_error: stopped },
  ] as const) {
    assert.equal(accessOf({ shared: true, site_access: null }, state)['siteLink'], 'none', JSON.stringify(state));
  }
  // Pages of it are being checked again.
  assert.equal(accessOf({ shared: false, site_access: null }, { status: 'checking' })['siteLink'], OWN.siteLink);
});
