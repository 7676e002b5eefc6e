import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createToken, revokeToken } from '../../src/accounts/tokens.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import type { EngineDescription } from '../../src/checks/engine-description.ts';
import { ENGINES } from '../../src/checks/registry.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { seedOneOfEach, type Values, withIds } from '../helpers/one-of-each.ts';
import { HOME } from '../helpers/sample-report.ts';
import { type Visitor, visitAs } from '../helpers/visitor.ts';

/**
 * Every endpoint for every role that can get another response, with resources of an account on the enterprise plan. A new
 * endpoint requires a row here, and for a new path parameter its value in `test/helpers/one-of-each.ts`.
 *
 * `owner` owns the resources, `reader` is the owner with a read-only token, `stranger` another account, and `free` an owner on
 * the free plan. `shared` and `freeShared` are a stranger and one on the free plan, if the report is shared. `guest` is a guest
 * of the owner who requests the owner's resources, and `host` the owner who requests the guest's. `answersToLinks` derives the
 * responses to share links.
 */
interface Row {
  /** The attributes of a body that is valid for every role. Ids are replaced by the ids of the seeded resources. */
  readonly attributes?: object;
  readonly answers: Answers;
}
type Answers = Readonly<Record<(typeof ROLES)[number], string>>;

/** Roles that may change nothing go before those that use the same resources up. */
const ROLES = ['reader', 'stranger', 'guest', 'owner', 'free', 'shared', 'freeShared', 'host'] as const;
/** Whose resources each role requests. Seeding one of everything takes as long as dozens of requests. */
const SEEDS = {
  ...{ owner: 'own', reader: 'own', stranger: 'own', guest: 'own' },
  ...{ free: 'free', shared: 'shared', freeShared: 'shared', host: 'guest' },
} as const satisfies Record<(typeof ROLES)[number], string>;
type Seed = (typeof SEEDS)[keyof typeof SEEDS];

/** A resource outside reports: a list of the account's own resources, or a request that creates one. */
const OWN_READ = everybody('200');
const OWN_CREATE = { ...everybody('201'), reader: '403 read_only_token' };

/** None of the roles is an operator; `operate.test.ts` has one. */
const OPERATOR_ONLY = everybody('403 forbidden');
const OPERATOR_CHANGE: Answers = { ...OPERATOR_ONLY, reader: '403 read_only_token' };

const REPORT_READ: Answers = { ...everybody('200'), stranger: '404 not_found', guest: '404 not_found' };
const PRO_REPORT_READ: Answers = { ...REPORT_READ, free: '403 pro_required', freeShared: '403 pro_required' };
const REPORT_CHANGE: Answers = reportChange('200');
const REPORT_DELETE: Answers = reportChange('204');
const PRO_REPORT_DELETE: Answers = { ...REPORT_DELETE, free: '403 pro_required', freeShared: '403 pro_required' };

/** Endpoints of each engine. */
function rowsOf({ kind, isPro }: EngineDescription): (readonly [endpoint: string, row: Row])[] {
  const row = { answers: isPro ? PRO_REPORT_READ : REPORT_READ };
  const common = `GET /reports/{report_id}/common_${kind}_issues`;
  const issues = `GET /reports/{report_id}/web_pages/{web_page_id}/${kind}_issues`;
  return [
    [common, row],
    [`${common}/{common_${kind}_issue_id}`, row],
    [`${common}/{common_${kind}_issue_id}/clusters`, row],
    [`${common}/{common_${kind}_issue_id}/occurrences`, row],
    [issues, row],
    [`${issues}/{${kind}_issue_id}`, row],
    [`GET /reports/{report_id}/web_pages/{web_page_id}/raw_${kind}_check`, { answers: PRO_REPORT_READ }],
  ];
}

const TABLE: Readonly<Record<string, Row>> = {
  'POST /reports': { attributes: { starting_url: HOME }, answers: OWN_CREATE },
  'GET /reports': { answers: OWN_READ },
  'GET /reports/{report_id}': { answers: REPORT_READ },
  'GET /events': { answers: OWN_READ },
  'GET /reports/{report_id}/web_pages': { answers: REPORT_READ },
  'GET /reports/{report_id}/web_pages/{web_page_id}': { answers: REPORT_READ },
  'GET /reports/{report_id}/web_pages/{web_page_id}/source': { answers: REPORT_READ },
  ...Object.fromEntries(ENGINES.flatMap(rowsOf)),
  'GET /sites': { answers: OWN_READ },
  'POST /sites': { attributes: { starting_url: HOME }, answers: OWN_CREATE },
  'GET /site_tags': { answers: OWN_READ },
  'POST /bulk_updates': { attributes: { tags: 'shop', add_tags: 'new' }, answers: OWN_CREATE },
  'POST /bulk_runs': { attributes: { tags: 'shop' }, answers: OWN_CREATE },
  'PATCH /sites/{site_id}': { attributes: { name: 'Mine' }, answers: ownPrivate('200', '403 read_only_token') },
  'POST /sites/{site_id}/login_tests': {
    attributes: { login: { steps: [{ open: HOME }] } },
    answers: ownPrivate('200', '403 read_only_token'),
  },
  'POST /sites/{site_id}/journey_tests': {
    attributes: { journey: { name: 'Start', steps: [{ open: '/' }, { check: 'Start' }] } },
    answers: proOwn(ownPrivate('200', '403 read_only_token')),
  },
  'GET /sites/{site_id}': { answers: { ...ownPrivate('200', '200'), host: '200' } },
  'GET /reports/{report_id}/rechecks': { answers: REPORT_READ },
  'GET /reports/{report_id}/rechecks/{recheck_id}': { answers: REPORT_READ },
  'GET /reports/{report_id}/web_pages/{web_page_id}/fixed_issues': { answers: REPORT_READ },
  'GET /stats': { answers: OWN_READ },
  'GET /reports/{report_id}/web_pages/{web_page_id}/screenshot': { answers: PRO_REPORT_READ },
  'GET /devices': { answers: proOwn(OWN_READ) },
  'GET /devices/default': { answers: proOwn(OWN_READ) },
  'GET /devices/{device_id}': { answers: proOwn(OWN_READ) },
  'GET /reports/{report_id}/excluded_urls': { answers: REPORT_READ },
  'GET /reports/{report_id}/discovered_urls': { answers: REPORT_READ },
  'GET /reports/{report_id}/changes': { answers: REPORT_READ },
  'GET /reports/{report_id}/changes/pages': { answers: REPORT_READ },
  'GET /reports/{report_id}/fixes': { answers: REPORT_READ },
  // Without the format that it requires.
  'GET /reports/{report_id}/export': {
    answers: { ...everybody('400 invalid_parameter format'), stranger: '404 not_found', guest: '404 not_found' },
  },
  'GET /share': { answers: everybody('404 not_found') },
  'GET /share/sites': { answers: everybody('404 not_found') },
  'GET /share/sites/{site_id}': { answers: ownPrivate('200', '200') },
  'POST /share_links': { attributes: { tag: 'bakery' }, answers: OWN_CREATE },
  'GET /share_links': { answers: OWN_READ },
  'GET /share_links/{share_link_id}': { answers: ownPrivate('200', '200') },
  'DELETE /share_links/{share_link_id}': { answers: ownPrivate('204', '403 read_only_token') },
  'GET /sites/{site_id}/comparison': { answers: { ...ownPrivate('200', '200'), host: '200' } },
  // Without the format that it requires.
  'GET /sites/{site_id}/comparison/export': {
    answers: {
      ...ownPrivate('400 invalid_parameter format', '400 invalid_parameter format'),
      host: '400 invalid_parameter format',
    },
  },
  'POST /mutings': { attributes: { url_match: 'nowhere.test', message: 'Nothing' }, answers: proOwn(OWN_CREATE) },
  'GET /mutings': { answers: proOwn(OWN_READ) },
  'GET /mutings/preview': { answers: proOwn(OWN_READ) },
  'GET /mutings/{muting_id}': { answers: proPrivate('200', '200') },
  'DELETE /mutings/{muting_id}': { answers: proPrivate('204', '403 read_only_token') },
  'GET /reports/{report_id}/mutings': { answers: PRO_REPORT_READ },
  'POST /reports/{report_id}/decisions': {
    attributes: { occurrence: '', scope: 'cause', verdict: 'later' },
    answers: {
      ...reportChange('201'),
      free: '403 pro_required',
      freeShared: '403 pro_required',
      host: '404 not_found',
    },
  },
  'GET /sites/{site_id}/decisions': { answers: proPrivate('200', '200') },
  'GET /decisions/{decision_id}': { answers: proPrivate('200', '200') },
  'PATCH /decisions/{decision_id}': {
    attributes: { note: 'Seen.' },
    answers: proPrivate('200', '403 read_only_token'),
  },
  'DELETE /decisions/{decision_id}': { answers: proPrivate('204', '403 read_only_token') },
  'GET /account': { answers: OWN_READ },
  'PATCH /account': {
    attributes: { standard: 'wcag22-aa' },
    answers: { ...everybody('200'), reader: '403 read_only_token' },
  },
  'POST /api_tokens': { attributes: { scope: 'read' }, answers: OWN_CREATE },
  'GET /api_tokens': { answers: OWN_READ },
  'GET /api_tokens/{api_token_id}': { answers: ownPrivate('200', '200') },
  'DELETE /api_tokens/{api_token_id}': { answers: ownPrivate('204', '403 read_only_token') },
  // Without the text that it requires.
  'GET /search': { answers: everybody('400 invalid_parameter q') },
  'GET /credit_entries': { answers: OWN_READ },
  'GET /audit_log': { answers: OWN_READ },
  // A guest cannot share what it gets from its host.
  'POST /guest_accounts': {
    attributes: { max_usage: 10 },
    answers: { ...proOwn(OWN_CREATE), guest: '403 pro_required' },
  },
  'GET /guest_accounts': { answers: proOwn(OWN_READ) },
  'GET /guest_accounts/{guest_account_id}': { answers: proPrivate('200', '200') },
  'PATCH /guest_accounts/{guest_account_id}': {
    attributes: { max_usage: 20 },
    answers: proPrivate('200', '403 read_only_token'),
  },
  'DELETE /guest_accounts/{guest_account_id}': { answers: proPrivate('204', '403 read_only_token') },
  'POST /schedules': {
    attributes: { starting_url: HOME, periodicity: { every: 'day' } },
    answers: proOwn(OWN_CREATE),
  },
  'GET /schedules': { answers: proOwn(OWN_READ) },
  'GET /schedules/{schedule_id}': { answers: proPrivate('200', '200') },
  'POST /schedules/{schedule_id}/runs': { answers: proPrivate('201', '403 read_only_token') },
  'PATCH /schedules/{schedule_id}': {
    attributes: { active: false },
    answers: proPrivate('200', '403 read_only_token'),
  },
  'DELETE /schedules/{schedule_id}': { answers: proPrivate('204', '403 read_only_token') },
  'POST /notification_channels': {
    attributes: { kind: 'slack', webhook_url: 'https://hooks.example.com/' },
    answers: OWN_CREATE,
  },
  'GET /notification_channels': { answers: OWN_READ },
  'GET /notification_channels/{notification_channel_id}': { answers: ownPrivate('200', '200') },
  'PATCH /notification_channels/{notification_channel_id}': {
    attributes: { name: 'Team' },
    answers: ownPrivate('200', '403 read_only_token'),
  },
  'POST /notification_channels/{notification_channel_id}/secret': {
    answers: ownPrivate('200', '403 read_only_token'),
  },
  'POST /notification_channels/{notification_channel_id}/test': { answers: ownPrivate('201', '403 read_only_token') },
  'POST /notification_channels/{notification_channel_id}/confirmation': {
    answers: ownPrivate('409 conflict', '403 read_only_token'),
  },
  'GET /notification_channels/{notification_channel_id}/deliveries': { answers: ownPrivate('200', '200') },
  'GET /notification_channels/{notification_channel_id}/deliveries/{notification_delivery_id}': {
    answers: ownPrivate('200', '200'),
  },
  'POST /notification_channels/{notification_channel_id}/deliveries/{notification_delivery_id}/repeat': {
    answers: ownPrivate('200', '403 read_only_token'),
  },
  'DELETE /notification_channels/{notification_channel_id}': { answers: ownPrivate('204', '403 read_only_token') },
  // The account's own invitation, or an accepted one: accepting would change the role.
  'POST /invitations/{invitation_secret}/accept': {
    answers: { ...everybody('409 conflict'), reader: '403 read_only_token', stranger: '200', guest: '200' },
  },
  'GET /retention': { answers: OWN_READ },
  'PATCH /retention': {
    attributes: { rules: [{ keep_last: 1_000 }] },
    answers: { ...everybody('200'), reader: '403 read_only_token' },
  },
  'POST /retention/previews': { attributes: { rules: [{ keep_last: 1 }] }, answers: OWN_CREATE },
  'GET /operator': { answers: OPERATOR_ONLY },
  'GET /operator/workers': { answers: OPERATOR_ONLY },
  'GET /operator/channels': { answers: OPERATOR_ONLY },
  'GET /operator/slow_sites': { answers: OPERATOR_ONLY },
  'GET /operator/audit_log': { answers: OPERATOR_ONLY },
  'GET /operator/accounts': { answers: OPERATOR_ONLY },
  'POST /operator/accounts': { attributes: { email: 'new@example.com' }, answers: OPERATOR_CHANGE },
  'GET /operator/accounts/{account_id}': { answers: OPERATOR_ONLY },
  'PATCH /operator/accounts/{account_id}': { attributes: { operator: true }, answers: OPERATOR_CHANGE },
  'POST /operator/accounts/{account_id}/disable': { answers: OPERATOR_CHANGE },
  'POST /operator/accounts/{account_id}/enable': { answers: OPERATOR_CHANGE },
  'DELETE /operator/accounts/{account_id}': { answers: OPERATOR_CHANGE },
  // Last, because they use up what the others require.
  'POST /reports/{report_id}/rechecks': {
    attributes: { common_html_issue_id: '' },
    answers: reportChange('201'),
  },
  'PATCH /reports/{report_id}/web_pages/{web_page_id}': { attributes: { status: 'pending' }, answers: REPORT_CHANGE },
  'DELETE /reports/{report_id}/web_pages/{web_page_id}': { answers: PRO_REPORT_DELETE },
  'PATCH /reports/{report_id}': { attributes: { shared: true }, answers: REPORT_CHANGE },
  'DELETE /reports/{report_id}': { answers: REPORT_DELETE },
  // The seeds of all roles of one account share a site.
  'POST /sites/{site_id}/runs': { answers: ownPrivate('201', '403 read_only_token') },
  'POST /sites/{site_id}/merge': { attributes: { into: '' }, answers: ownPrivate('200', '403 read_only_token') },
  'DELETE /sites/{site_id}': { answers: ownPrivate('204', '403 read_only_token') },
};

function everybody(answer: string): Answers {
  const own = { owner: answer, reader: answer, free: answer };
  return { ...own, stranger: answer, shared: answer, freeShared: answer, guest: answer, host: answer };
}

/** A Pro resource outside reports: a list of the account's own resources, or a request that creates one. */
function proOwn(answers: Answers): Answers {
  return { ...answers, free: '403 pro_required', freeShared: '403 pro_required' };
}

/** A resource that is never shared. */
function ownPrivate(owner: string, reader: string): Answers {
  return { ...everybody('404 not_found'), owner, free: owner, reader };
}

/** A Pro resource that is never shared. */
function proPrivate(owner: string, reader: string): Answers {
  return proOwn(ownPrivate(owner, reader));
}

function reportChange(success: string): Answers {
  return {
    ...everybody(success),
    reader: '403 read_only_token',
    stranger: '404 not_found',
    guest: '404 not_found',
    shared: '403 forbidden',
    freeShared: '403 forbidden',
  };
}

/**
 * The response to the links of three shared reports: this report, the same with an owner on the free plan, and another report of
 * the owner. A link gives access to what others see of the shared report, by its owner's plan, and to nothing else.
 */
function answersToLinks(endpoint: string, { shared, freeShared }: Answers) {
  if (['GET /share', 'GET /events'].includes(endpoint)) return { link: '200', freeLink: '200', otherLink: '200' };
  if (endpoint.startsWith('GET /reports/{')) return { link: shared, freeLink: freeShared, otherLink: '404 not_found' };
  const answer = endpoint.startsWith('GET') ? '403 forbidden' : '403 read_only_token';
  return { link: answer, freeLink: answer, otherLink: answer };
}

/** Requests that cannot be repeated, or change what others may do. */
const USES_UP = /^(DELETE|PATCH \/reports|POST .*\/(accept|merge|rechecks|repeat|runs)$)/;

/** What no endpoint decides on its own is requested from these only, one with each method. */
const SAMPLE = [
  'GET /reports/{report_id}',
  'POST /reports',
  'PATCH /reports/{report_id}',
  'DELETE /share_links/{share_link_id}',
];

/** The roles that an endpoint could treat differently. */
function rolesAt(endpoint: string): readonly (keyof Answers)[] {
  if (SAMPLE.includes(endpoint)) return ROLES;
  const isGuestSpecial = /invitation|guest_accounts$/.test(endpoint);
  return ROLES.filter((role) => {
    // The method decides what a read-only token may do, and a guest is a stranger to the resources of its host.
    if (role === 'reader') return false;
    if (role === 'guest') return isGuestSpecial;
    if (role === 'shared' || role === 'freeShared') return endpoint.includes('{report_id}');
    if (role === 'host') return /\{(report|site)_id\}/.test(endpoint);
    return role !== 'stranger' || endpoint.includes('{');
  });
}

describe('permissions', () => {
  let api: TestApi;
  /** Signed-in browsers: a session may do everything that its account may, so one of each outcome shows what tokens don't. */
  let browsers: Readonly<Record<'owner' | 'free' | 'stranger', Visitor>>;
  /** Invalid tokens. */
  let worthless: Readonly<Record<string, string>>;
  let tokens: Readonly<Record<keyof Answers, string>>;
  /** One of everything, and the parameters of what requests have used up: it is created again for the next that requires it. */
  const seeded = new Map<Seed, { readonly values: Values; readonly used: Set<string> }>();

  before(async () => {
    api = await startApi();
    const { owner, reader, free, stranger, guest, ownerId } = api.people;
    tokens = { owner, reader, free, stranger, shared: stranger, freeShared: free, guest, host: owner };
    const { freeId, strangerId } = api.people;
    browsers = {
      stranger: await visitAs(api, strangerId),
      owner: await visitAs(api, ownerId),
      free: await visitAs(api, freeId),
    };
    const revoked = await createToken(api.db, { accountId: ownerId, scope: 'write' });
    await revokeToken(api.db, revoked.id);
    const past = new Date(Date.now() - 1_000);
    const expired = await createToken(api.db, { accountId: ownerId, scope: 'write', expiresAt: past });
    worthless = { revoked: revoked.token, expired: expired.token, unknown: `${owner}x` };
  });
  after(() => api?.close());

  function seed(kind: Seed): Promise<Values> {
    const { ownerId, guestId, freeId, ...people } = api.people;
    const isShared = kind === 'shared';
    return seedOneOfEach(api.db, {
      accountId: kind === 'free' ? freeId : kind === 'guest' ? guestId : ownerId,
      isShared,
      ofGuestAccount: kind === 'guest' ? people.guestAccountId : null,
      invitationAcceptedBy: isShared ? guestId : kind === 'guest' ? freeId : null,
    });
  }

  const parametersOf = (endpoint: string): string[] =>
    Array.from(endpoint.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

  /** Resources for a request of a role, which are as they were created. */
  async function valuesFor(role: keyof Answers, endpoint: string): Promise<Values> {
    const before = seeded.get(SEEDS[role]);
    if (before !== undefined && !parametersOf(endpoint).some((name) => before.used.has(name))) return before.values;
    const values = await seed(SEEDS[role]);
    seeded.set(SEEDS[role], { values, used: new Set() });
    return values;
  }

  /** Notes what a request may have used up. */
  function use(role: keyof Answers, endpoint: string, answer: string): void {
    const [name] = parametersOf(endpoint);
    if (name === undefined || !USES_UP.test(endpoint) || !answer.startsWith('2')) return;
    // A site goes with its reports, or the other way round.
    const used = ['report_id', 'site_id'].includes(name) ? ['report_id', 'site_id'] : [name];
    for (const each of used) seeded.get(SEEDS[role])?.used.add(each);
  }

  /** @param who a token, or a browser with the headers that it sends along with its cookie */
  const request = async (
    endpoint: string,
    values: Values,
    who: string | null | { readonly browser: Visitor; readonly headers?: Record<string, string> },
  ) => {
    const [method = '', template = ''] = endpoint.split(' ');
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      assert.ok(value !== undefined, `seedOneOfEach() has no ${name}`);
      return String(value);
    });
    const attributes = TABLE[endpoint]?.attributes;
    const given = attributes && withIds(attributes, values);
    const reply =
      who === null || typeof who === 'string'
        ? await api.send(method, `/api/v1${path}`, { token: who, ...(given && { attributes: given }) })
        : await who.browser.send(method, `/api/v1${path}`, given && { data: { attributes: given } }, who.headers);
    return reply.errors.length > 0 ? reply.errors.join(', ') : String(reply.status);
  };

  const askSignedIn = async (endpoint: string, answers: Answers): Promise<void> => {
    for (const [name, browser] of Object.entries(browsers)) {
      const role = name as keyof typeof browsers;
      const values = await valuesFor(role, endpoint);
      if (!endpoint.startsWith('GET')) {
        const foreign = { browser, headers: { 'sec-fetch-site': 'cross-site' } };
        assert.equal(await request(endpoint, values, foreign), '403 forbidden', `${role} from another site`);
      }
      const answer = await request(endpoint, values, { browser });
      assert.equal(answer, answers[role], `${role}, signed in`);
      use(role, endpoint, answer);
    }
  };

  test('every endpoint has a row, and every row has an endpoint', () => {
    const endpoints = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(Object.keys(TABLE).sort(), endpoints.sort());
  });

  for (const [endpoint, { answers }] of Object.entries(TABLE)) {
    test(endpoint, async () => {
      const values = await valuesFor('stranger', endpoint);
      assert.equal(await request(endpoint, values, null), '401 unauthorized');
      for (const role of rolesAt(endpoint)) {
        const answer = await request(endpoint, await valuesFor(role, endpoint), tokens[role]);
        assert.equal(answer, answers[role], role);
        use(role, endpoint, answer);
      }
      if (!SAMPLE.includes(endpoint)) return;
      for (const [who, token] of Object.entries(worthless))
        assert.equal(await request(endpoint, values, token), '401 invalid_token', who);
      await askSignedIn(endpoint, answers);
    });
  }

  test('share links', async () => {
    const { ownerId, freeId } = api.people;
    const seedShared = (accountId: string) => seedOneOfEach(api.db, { accountId, isShared: true });
    const [values, free, other] = [await seedShared(ownerId), await seedShared(freeId), await seedShared(ownerId)];
    const secrets = { link: values['share_secret'], freeLink: free['share_secret'], otherLink: other['share_secret'] };
    for (const [endpoint, { answers }] of Object.entries(TABLE)) {
      const ofLinks = answersToLinks(endpoint, answers);
      // What is closed is closed to all links, before anything is looked up.
      const asked =
        ofLinks.link.startsWith('403') && ofLinks.freeLink === ofLinks.link ? { link: ofLinks.link } : ofLinks;
      for (const [who, expected] of Object.entries(asked)) {
        const secret = String(secrets[who as keyof typeof secrets]);
        const answer = await request(endpoint, who === 'freeLink' ? free : values, secret);
        assert.equal(answer, expected, `${endpoint} with ${who}`);
      }
    }
  });

  test('missing reports get the same response as private ones', async () => {
    for (const { method, path } of ENDPOINTS.filter((endpoint) => endpoint.path.startsWith('/reports/{'))) {
      const endpoint = `${method} ${path}`;
      const values = {
        ...(await valuesFor('stranger', endpoint)),
        report_id: '00000000-0000-4000-8000-000000000000',
      };
      assert.equal(await request(endpoint, values, api.people.owner), '404 not_found', endpoint);
    }
  });
});
