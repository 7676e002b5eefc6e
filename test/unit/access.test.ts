import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessTo, mayReadContent, NO_ACCOUNT } from '../../src/accounts/access.ts';

const [owner, host, stranger] = ['owner', 'host', 'stranger'].map((accountId) => ({ accountId, linkedReportId: null }));
const link = { accountId: NO_ACCOUNT, linkedReportId: 'report' };
const otherLink = { accountId: NO_ACCOUNT, linkedReportId: 'other' };
const viewers = { owner, host, stranger, link, otherLink };

/** What each viewer may do with a report. */
function accessOf(report: { readonly shared: boolean; readonly site_access: Buffer | null }): Record<string, string> {
  const whole = { id: 'report', account_id: 'owner', host_id: 'host', ...report };
  const entries = Object.entries(viewers).map(([name, viewer]) => {
    assert.ok(viewer);
    return [name, `${accessTo(whole, viewer)}${mayReadContent(whole, viewer) ? ', with content' : ''}`] as const;
  });
  return Object.fromEntries(entries);
}

const OWN = { owner: 'all, with content', host: 'all, with content', otherLink: 'none' };

test('a private report is for its owner and its host', () => {
  const nobody = { ...OWN, stranger: 'none', link: 'none' };
  assert.deepEqual(accessOf({ shared: false, site_access: null }), nobody);
});

test('a shared report is for every account, and for those who have its link', () => {
  const everybody = { ...OWN, stranger: 'read, with content', link: 'read, with content' };
  assert.deepEqual(accessOf({ shared: true, site_access: null }), everybody);
});

test('source and screenshots of a report that signs in are not shared', () => {
  const withoutContent = { ...OWN, stranger: 'read', link: 'read' };
  assert.deepEqual(accessOf({ shared: true, site_access: Buffer.from('sealed') }), withoutContent);
});
