import { zstdCompressSync } from 'node:zlib';
import { createToken } from '../../src/accounts/tokens.ts';
import type { EngineDescription } from '../../src/checks/engine-description.ts';
import { ENGINES } from '../../src/checks/registry.ts';
import { DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { createChannel } from '../../src/notifications/channels.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newSecret, openSecret } from '../../src/platform/kept-secret.ts';
import { createSchedule } from '../../src/schedules/save-schedule.ts';
import { acceptInvitation, insertGuestAccount } from '../../src/store/accounts/guest-accounts.ts';
import type { Database } from '../../src/store/database.ts';
import { insertMuting } from '../../src/store/mutings/mutings.ts';
import { findSchedule } from '../../src/store/schedules/schedules.ts';
import { credentialStore, keptSecret } from './credential-store.ts';
import { IPHONE_15 } from './devices.ts';
import { A11Y_ISSUE_TYPES, HOME, HTML_ISSUE_TYPES, seedSample } from './sample-report.ts';
import { seedDocument } from './seed.ts';

/** Values of path parameters, and the secret of the report's share link. */
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
  const { reportId, pageIds, commonIds } = await seedSample(db, {
    account_id: of.accountId,
    shared: of.isShared ?? false,
    share_hash: link?.hash ?? null,
    share_sealed: link?.sealed ?? null,
    guest_account_id: of.ofGuestAccount ?? null,
  });
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
      active: true,
      failOn: ['error'],
      siteAccess: null,
    },
  );
  const schedule = await findSchedule(db, scheduleId);
  for (const engine of ENGINES) {
    if (engine.kind !== 'html' && engine.kind !== 'a11y') await seedIssue(db, reportId, homeId, engine);
  }
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
  const report = db.selectFrom('reports').select('site_id').where('id', '=', reportId);
  return {
    report_id: reportId,
    share_secret: shareSecret,
    site_id: (await report.executeTakeFirstOrThrow()).site_id,
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

/** An issue of an engine that the sample does not include, and its raw check. */
async function seedIssue(db: Database, reportId: string, pageId: number, { kind, isGraded }: EngineDescription) {
  const found = { report_id: reportId, kind, how_many: 1 };
  await db
    .insertInto('report_checks')
    .values({ report_id: reportId, kind, store_raw: true, checked: 1, errors: 1 })
    .execute();
  await db
    .insertInto('checks')
    .values({ report_id: reportId, web_page_id: pageId, kind, status: 'checked', turn: 0, errors: 1, notes: '[]' })
    .execute();
  const { id } = await db
    .insertInto('common_issues')
    .values({
      ...found,
      ...{
        key: Buffer.from(kind),
        fingerprint: Buffer.alloc(16),
        issue_type: 'error',
        message: `Something of ${kind}`,
        num_web_pages: 1,
      },
      ...{ rule_id: 'rule', help_url: HOME, impact: isGraded ? 'minor' : null, impact_order: isGraded ? 1 : 0 },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const occurrences = zstdCompressSync(Buffer.from('[]'));
  const identity = { fingerprints: Buffer.alloc(16), clusters: Buffer.alloc(8), traces: Buffer.alloc(8) };
  await db
    .insertInto('issues')
    .values({ ...found, common_issue_id: id, web_page_id: pageId, position: 0, occurrences, ...identity })
    .execute();
  const raw = zstdCompressSync(Buffer.from('{}'));
  await db.insertInto('raw_checks').values({ web_page_id: pageId, kind, raw, omitted: 0 }).execute();
}
