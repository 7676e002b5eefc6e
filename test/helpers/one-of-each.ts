import { createToken } from '../../src/accounts/tokens.ts';
import type { EngineDescription } from '../../src/checks/engine-description.ts';
import { ENGINES } from '../../src/checks/registry.ts';
import { DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { createChannel } from '../../src/notifications/channels.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newSecret, openSecret } from '../../src/platform/kept-secret.ts';
import { decide } from '../../src/reports/apply-decisions.ts';
import { createShareLink } from '../../src/reports/save-share-link.ts';
import { createSchedule } from '../../src/schedules/save-schedule.ts';
import { acceptInvitation, insertGuestAccount } from '../../src/store/accounts/guest-accounts.ts';
import type { Database } from '../../src/store/database.ts';
import { insertMuting } from '../../src/store/mutings/mutings.ts';
import { findSiteLink, type NewSiteLink } from '../../src/store/reports/site-links.ts';
import { findSchedule, START_TIME_DEFAULT } from '../../src/store/schedules/schedules.ts';
import { credentialStore, keptSecret } from './credential-store.ts';
import { IPHONE_15 } from './devices.ts';
import { identityOf } from './identities.ts';
import { A11Y_ISSUE_TYPES, HOME, HTML_ISSUE_TYPES, SAMPLE_PAGES } from './sample-report.ts';
import { type SeedCheck, type SeedPage, seedDocument, seedReport } from './seed.ts';
import { seedSite } from './sites.ts';

/** Values of path parameters, and the secrets of the share links of the report and of its site. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** Returns attributes with the ids of seeded resources where they have names of path parameters. */
export function withIds(attributes: object, values: Values): object {
  const ids = Object.keys(attributes).flatMap((name) =>
    values[name] === undefined ? [] : [[name, String(values[name])]],
  );
  return { ...attributes, ...Object.fromEntries(ids) };
}

/** The same for the attributes in a body. */
export function bodyWithIds(body: unknown, values: Values): object {
  const { data } = body as { readonly data: { readonly attributes: object } };
  return { data: { ...data, attributes: withIds(data.attributes, values) } };
}

/** One of every resource that an account can have, as the values of all path parameters. */
export async function seedOneOfEach(
  db: Database,
  of: {
    readonly accountId: string;
    readonly isShared?: boolean;
    /** The guest account under which the report was created. */
    readonly ofGuestAccount?: string | null;
    /** The account that has accepted the invitation. */
    readonly invitationAcceptedBy?: string | null;
  },
): Promise<Values> {
  const shareSecret = newSecret();
  const link = of.isShared ? keptSecret(shareSecret) : null;
  const report = {
    account_id: of.accountId,
    shared: of.isShared ?? false,
    share_hash: link?.hash ?? null,
    share_sealed: link?.sealed ?? null,
    guest_account_id: of.ofGuestAccount ?? null,
  };
  const kinds = ENGINES.map(({ kind }) => kind);
  const pages = SAMPLE_PAGES.map((page) => (page.url === HOME ? withAllChecks(page) : page));
  const { reportId, pageIds, commonIds } = await seedReport(db, report, kinds, pages);
  const homeId = pageIds.get(HOME) ?? 0;
  await seedDocument(db, homeId, Buffer.from('<!DOCTYPE html><title>Home</title>'));
  const secret = `secret-${reportId}`;
  const id = `G${reportId.slice(-9).toUpperCase()}`;
  await insertGuestAccount(db, { id, hostId: of.accountId, invitation: keptSecret(secret), maxUsage: 100 });
  if (of.invitationAcceptedBy != null) await acceptInvitation(db, id, of.invitationAcceptedBy);
  const scheduleId = await createSchedule(
    { db, credentialStore, clock: systemClock, scheduleTimeMs: 0 },
    of.accountId,
    {
      definition: { ...DEFAULT_DEFINITION, starting_url: HOME, checks: ['html'] },
      periodicity: null,
      startTime: START_TIME_DEFAULT,
      active: true,
      failOn: ['error'],
      siteAccess: null,
    },
  );
  const schedule = await findSchedule(db, scheduleId);
  const issues = await db
    .selectFrom('issues')
    .select(['id', 'kind', 'common_issue_id'])
    .where('web_page_id', '=', homeId)
    .execute();
  const recheck = await db
    .insertInto('rechecks')
    .values({ report_id: reportId, num_web_pages: 1, credits: 2 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const site = db.selectFrom('reports').select('site_id').where('id', '=', reportId);
  const { site_id: siteId } = await site.executeTakeFirstOrThrow();
  return {
    account_id: of.accountId,
    report_id: reportId,
    share_secret: shareSecret,
    site_id: siteId,
    ...(await seedShareLink(db, { accountId: of.accountId, name: 'Ada', siteId, tag: null })),
    into: await seedSite(db, of.accountId, { starting_url: 'https://another.example/' }),
    guest_account_id: id,
    schedule_id: scheduleId,
    hook_secret: (schedule && openSecret(credentialStore.box, schedule.hook_hash, schedule.hook_sealed)) ?? undefined,
    invitation_secret: secret,
    muting_id: await insertMuting(db, {
      account_id: of.accountId,
      url_match: 'nowhere.test',
      message: 'Nothing',
      comment: 'Silences nothing.',
      expires_at: null,
    }),
    decision_id: await decide(db, {
      ...{ site_id: siteId, since_report: reportId, scope: 'rule', kind: 'html', verdict: 'later' },
      ...{ type_fingerprint: Buffer.alloc(16), cluster: null, page_url: null, fingerprint: null },
      ...{ note: '', assessor: 'Ada', message: 'Nothing', rule_id: null, impact: null, markup: '<p>' },
    }),
    occurrence: `${issues.find(({ kind }) => kind === 'html')?.id}-0`,
    api_token_id: (await createToken(db, { accountId: of.accountId, scope: 'read' })).id,
    web_page_id: homeId,
    recheck_id: recheck.id,
    device_id: IPHONE_15,
    ...(await seedChannel(db, of.accountId)),
    ...Object.fromEntries(issues.map((issue) => [`common_${issue.kind}_issue_id`, issue.common_issue_id])),
    common_html_issue_id: commonIds.get(HTML_ISSUE_TYPES.info.message),
    common_a11y_issue_id: commonIds.get(A11Y_ISSUE_TYPES.contrast.message),
    ...Object.fromEntries(issues.map(({ kind, id }) => [`${kind}_issue_id`, id])),
  };
}

async function seedShareLink(db: Database, link: NewSiteLink): Promise<Values> {
  const id = await createShareLink({ db, credentialStore }, link);
  const made = await findSiteLink(db, id);
  const secret = made && openSecret(credentialStore.box, made.secret_hash, made.secret_sealed);
  return { share_link_id: id, site_share_secret: secret ?? undefined };
}

/** A notification channel with a delivery that has failed. */
async function seedChannel(db: Database, accountId: string): Promise<Values> {
  const url = 'https://hooks.example.com/secret-5f3c2a';
  const settings = {
    name: 'Deploys',
    events: ['report.failed'],
    worseWhen: [],
    scheduleIds: [],
    active: true,
    digest: 'none',
    digestHour: 7,
    timeZone: 'UTC',
  } as const;
  const parts = {
    db,
    credentialStore,
    clock: systemClock,
    mailFrom: null,
    signUp: 'closed',
    allowPrivateNetworks: false,
  } as const;
  const { id } = await createChannel(parts, accountId, { kind: 'webhook', url, settings });
  const delivery = await db
    .insertInto('notification_deliveries')
    .values({ channel_id: id, event: 'report.failed', key: 'seeded', status: 'failed', details: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { notification_channel_id: id, notification_delivery_id: delivery.id };
}

function withAllChecks(page: SeedPage): SeedPage {
  const missing = ENGINES.filter(({ kind }) => page.checks[kind] === undefined);
  const checks = Object.fromEntries(missing.map((engine) => [engine.kind, checkOf(engine)]));
  return { ...page, checks: { ...page.checks, ...checks } };
}

/** What an engine that the sample does not include found on a page. */
function checkOf({ kind, isGraded }: EngineDescription): SeedCheck {
  const found = { type: 'error', message: `Something of ${kind}`, ruleId: 'rule', helpUrl: HOME } as const;
  const issue = {
    kind: { ...found, ...(isGraded && { impact: 'minor' as const }) },
    occurrences: [],
    identity: identityOf(kind, '', 1),
  };
  return { status: 'checked', issues: [issue], raw: {} };
}
