import assert from 'node:assert/strict';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { deleteOldHookMessages } from '../../src/store/schedules/hook-messages.ts';
import { type Item, type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { HOME } from '../helpers/sample-report.ts';

/** Signs calls as the senders do, from what they document. */
const sign = (hash: string, secret: string | Buffer, text: string) => createHmac(hash, secret).update(text);
type Signer = (secret: string, body: string, seconds: number) => Record<string, string>;

const SIGNERS: Readonly<Record<string, Signer>> = {
  github: (secret, body) => ({
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${sign('sha256', secret, body).digest('hex')}`,
  }),
  gitlab: (secret) => ({ 'x-gitlab-event': 'Deployment Hook', 'x-gitlab-token': secret }),
  netlify(secret, body) {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hash = createHash('sha256').update(body).digest('hex');
    const token = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iss: 'netlify', sha256: hash })}`;
    return { 'x-webhook-signature': `${token}.${sign('sha256', secret, token).digest('base64url')}` };
  },
  standard(secret, body, seconds) {
    const id = `msg_${randomUUID()}`;
    const signature = new Webhook(secret).sign(id, new Date(seconds * 1_000), body);
    const timestamp = String(seconds);
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1a,AAAA ${signature}` };
  },
  vercel: (secret, body) => ({ 'x-vercel-signature': sign('sha1', secret, body).digest('hex') }),
};
const GIVEN = 'a-secret-that-vercel-has-made';

describe('deploy hooks that require a signature', () => {
  let api: TestApi;
  const now = new Date('2028-02-29T23:59:58.500Z');
  const seconds = Math.floor(now.getTime() / 1_000);

  before(async () => {
    api = await startApi({ clock: () => now });
  });
  after(() => api?.close());

  const create = async (attributes: object = {}): Promise<Item> => {
    const asked = { starting_url: HOME, periodicity: { every: 'deploy' }, ...attributes };
    const reply = await api.send('POST', '/api/v1/schedules', { attributes: asked });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };
  const change = (item: Item, attributes: object): Promise<Reply> =>
    api.send('PATCH', `/api/v1/schedules/${item.id}`, { attributes });
  const fire = (item: Item, body: string, headers: Record<string, string>): Promise<Reply> =>
    api.send('POST', item.attributes.deploy_hook_url, {
      token: null,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const forgetCalls = () => sql`UPDATE schedules SET hook_called_at = NULL`.execute(api.db);
  const signed = (scheme: string, ...args: Parameters<Signer>) => SIGNERS[scheme]?.(...args) ?? {};

  for (const scheme of Object.keys(SIGNERS)) {
    test(`${scheme}: accepts only signed calls`, async () => {
      const own = scheme === 'vercel' ? { deploy_hook_signing_secret: GIVEN } : {};
      const item = await create({ deploy_hook_signature: scheme, ...own });
      const secret: string = item.attributes.deploy_hook_signing_secret ?? GIVEN;
      assert.equal(item.attributes.deploy_hook_signing_secret === undefined, scheme === 'vercel');
      const body = '{"ref": "refs/heads/main"}';
      const right = signed(scheme, secret, body, seconds);
      assert.equal((await fire(item, body, right)).status, 202);

      const other = signed(scheme, scheme === 'standard' ? `whsec_${'A'.repeat(43)}=` : `${secret}x`, body, seconds);
      const wrong: [string, Record<string, string>][] = [
        [body, {}],
        [body, other],
        [body, Object.fromEntries(Object.entries(right).map(([name]) => [name, '']))],
        [body, Object.fromEntries(Object.entries(right).map(([name, value]) => [name, `${value}x`]))],
      ];
      // GitLab sends the secret itself, and signs nothing.
      if (scheme !== 'gitlab') wrong.push([`${body} `, right], ['', right]);
      for (const [sent, headers] of wrong) {
        const reply = await fire(item, sent, headers);
        assert.deepEqual(reply.errors, ['403 forbidden'], JSON.stringify(headers));
        assert.match(reply.document.errors[0].detail, /only accepts signed calls: the [\w-]+ header is missing/);
      }
      const shown = await api.get(`/api/v1/schedules/${item.id}`);
      assert.equal(shown.document.data.attributes.deploy_hook_signature, scheme);
      assert.ok(!shown.text.includes(secret));
      const { rows } = await sql<{ text: string }>`SELECT schedules::text AS text FROM schedules`.execute(api.db);
      assert.ok(
        rows.every(({ text }) => !text.includes(secret) && !text.includes(Buffer.from(secret).toString('hex'))),
      );
    });
  }

  test('Standard Webhooks: calls with an old or a future time are refused', async () => {
    const item = await create({ deploy_hook_signature: 'standard' });
    const secret = item.attributes.deploy_hook_signing_secret;
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    for (const [offset, status] of [
      [-299, 202],
      [299, 202],
      [-302, 403],
      [302, 403],
    ] as const) {
      const reply = await fire(item, '{}', signed('standard', secret, '{}', seconds + offset));
      assert.equal(reply.status, status, `${offset}: ${reply.text}`);
    }
    const { 'webhook-timestamp': _, ...timeless } = signed('standard', secret, '{}', seconds);
    assert.equal((await fire(item, '{}', timeless)).status, 403);
  });

  test('Standard Webhooks: a repeated call returns the report of the first one', async () => {
    const item = await create({ deploy_hook_signature: 'standard' });
    const secret = item.attributes.deploy_hook_signing_secret;
    const call = signed('standard', secret, '{}', seconds);
    const first = await fire(item, '{}', call);
    assert.equal(first.status, 202, first.text);
    await forgetCalls();
    const next = await fire(item, '{}', signed('standard', secret, '{}', seconds));
    assert.notEqual(next.document.data.id, first.document.data.id);
    await forgetCalls();
    const repeated = await Promise.all(Array.from({ length: 5 }, () => fire(item, '{}', call)));
    for (const reply of repeated) assert.equal(reply.document.data.id, first.document.data.id);
    assert.equal((await api.walk(item.relationships.reports.links.related)).length, 2);

    const other = await create({ deploy_hook_signature: 'standard', deploy_hook_signing_secret: secret });
    assert.notEqual((await fire(other, '{}', call)).document.data.id, first.document.data.id);
    await api.send('DELETE', `/api/v1/reports/${first.document.data.id}`);
    assert.deepEqual((await fire(item, '{}', call)).errors, ['409 conflict']);

    await change(item, { active: false });
    const late = signed('standard', secret, '{}', seconds);
    assert.deepEqual((await fire(item, '{}', late)).errors, ['409 conflict']);
    await change(item, { active: true });
    assert.equal((await fire(item, '{}', late)).status, 202);

    await sql`UPDATE hook_messages SET received_at = received_at - interval '25 hours' WHERE schedule_id = ${item.id}`.execute(
      api.db,
    );
    await deleteOldHookMessages(api.db);
    const kept = await api.db
      .selectFrom('hook_messages')
      .select('schedule_id')
      .where('schedule_id', 'in', [item.id, other.id])
      .execute();
    assert.deepEqual(kept, [{ schedule_id: other.id }]);
  });

  test('Netlify: a token without a signature or from another issuer is refused', async () => {
    const item = await create({ deploy_hook_signature: 'netlify' });
    const secret = item.attributes.deploy_hook_signing_secret;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hash = createHash('sha256').update('{}').digest('hex');
    const unsigned = `${encode({ alg: 'none' })}.${encode({ iss: 'netlify', sha256: hash })}.`;
    const other = `${encode({ alg: 'HS256' })}.${encode({ iss: 'other', sha256: hash })}`;
    const foreign = `${other}.${sign('sha256', secret, other).digest('base64url')}`;
    for (const token of [unsigned, foreign, 'x', '..', `${'.'.repeat(1_000)}`]) {
      assert.equal((await fire(item, '{}', { 'x-webhook-signature': token })).status, 403, token.slice(0, 60));
    }
  });

  test('GitHub: a ping, or a deployment that has not succeeded, runs nothing', async () => {
    const item = await create({ deploy_hook_signature: 'github' });
    const secret = item.attributes.deploy_hook_signing_secret;
    const call = (event: string, content: object) => {
      const body = JSON.stringify(content);
      return fire(item, body, { ...signed('github', secret, body, seconds), 'x-github-event': event });
    };
    for (const reply of [
      await call('ping', { zen: 'Design for failure.' }),
      await call('deployment_status', { deployment_status: { state: 'pending' } }),
      await call('deployment_status', { deployment_status: { state: 'failure' } }),
    ]) {
      assert.deepEqual([reply.status, reply.text], [204, '']);
    }
    assert.equal((await call('deployment_status', { deployment_status: { state: 'success' } })).status, 202);
    assert.equal((await api.walk(item.relationships.reports.links.related)).length, 1);
  });

  test('a signature is added, replaced and removed', async () => {
    const item = await create();
    assert.equal(item.attributes.deploy_hook_signature, null);
    const body = 'payload=%7B%7D';
    const added = await change(item, { deploy_hook_signature: 'github' });
    const first = added.document.data.attributes.deploy_hook_signing_secret;
    const works = async (secret: string) => {
      await forgetCalls();
      return (await fire(item, body, signed('github', secret, body, seconds))).status === 202;
    };
    assert.ok(await works(first));

    // Client libraries send back what they have read.
    const same = await change(item, { deploy_hook_signature: 'github', deploy_hook_signing_secret: null });
    assert.equal(same.document.data.attributes.deploy_hook_signing_secret, undefined);
    assert.ok(await works(first));
    assert.equal((await change(item, { tags: 'x' })).status, 200);
    assert.ok(await works(first));

    const given = await change(item, { deploy_hook_signing_secret: 'another-secret-of-mine' });
    assert.equal(given.document.data.attributes.deploy_hook_signing_secret, undefined);
    assert.deepEqual([await works(first), await works('another-secret-of-mine')], [false, true]);

    await change(item, { deploy_hook_signature: null });
    await forgetCalls();
    assert.equal((await fire(item, body, {})).status, 202);
    const again = (await change(item, { deploy_hook_signature: 'github' })).document.data.attributes;
    assert.notEqual(again.deploy_hook_signing_secret, first);
    assert.ok(await works(again.deploy_hook_signing_secret));
  });

  test('combinations that make no sense are refused', async () => {
    const item = await create();
    const cases: [object, string][] = [
      [{ deploy_hook_signature: 'md5' }, 'deploy_hook_signature'],
      [{ deploy_hook_signature: 'vercel' }, 'deploy_hook_signing_secret'],
      [{ deploy_hook_signature: 'github', deploy_hook_signing_secret: 'short' }, 'deploy_hook_signing_secret'],
      [
        { deploy_hook_signature: 'standard', deploy_hook_signing_secret: 'not base64 at all' },
        'deploy_hook_signing_secret',
      ],
      [{ deploy_hook_signing_secret: 'a-secret-without-a-scheme' }, 'deploy_hook_signature'],
      [{ deploy_hook_signing_secret: 17 }, 'deploy_hook_signing_secret'],
    ];
    for (const [attributes, name] of cases) {
      const reply = await change(item, attributes);
      assert.deepEqual(reply.errors, [`422 invalid /data/attributes/${name}`], JSON.stringify(attributes));
    }
  });

  test('a repeated request with an Idempotency-Key returns the same secret', async () => {
    const attributes = { starting_url: HOME, periodicity: { every: 'deploy' }, deploy_hook_signature: 'gitlab' };
    const headers = { 'idempotency-key': 'once' };
    const replies = [1, 2].map(() => api.send('POST', '/api/v1/schedules', { attributes, headers }));
    const secrets = (await Promise.all(replies)).map(
      ({ document }) => document.data.attributes.deploy_hook_signing_secret,
    );
    assert.ok(secrets[0]);
    assert.equal(secrets[0], secrets[1]);
  });
});
