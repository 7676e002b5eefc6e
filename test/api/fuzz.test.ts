import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { METHODS } from '../../src/api/openapi/openapi.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { makeOperator } from '../../src/store/accounts/account-states.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import type { FuzzRequest } from '../helpers/fuzz-faults.ts';
import { requestsTo, type Target } from '../helpers/fuzz-requests.ts';
import { seedOneOfEach, type Values } from '../helpers/one-of-each.ts';
import { fc } from '../helpers/random.ts';

const REQUESTS = 600;

/** Valid requests that fail even for the owner. */
const WHEN_VALID: Readonly<Record<string, RegExp>> = {
  // Its attributes exclude each other, and name pages by ids.
  create_report_recheck: /^(201$|422 invalid )/,
  // Exactly one selection is required, and random ids are no sites.
  create_bulk_run: /^(201$|422 invalid )/,
  // Marks and other steps exclude each other.
  journey_tests_site: /^(20[01]$|422 invalid )/,
  // Tags and schedules exclude each other.
  update_retention: /^(200$|422 invalid )/,
  create_retention_preview: /^(20[01]$|422 invalid )/,
  // The account may exist.
  create_operator_account: /^(201|409 conflict|422 invalid email)$/,
  // It is the only operator.
  update_operator_account: /^(200|409 conflict)$/,
  delete_operator_account: /^409 conflict$/,
  disable_operator_account: /^409 conflict$/,
  // The issue may not have such an occurrence.
  create_report_decision: /^(201$|422 invalid )/,
  // It also requires something to do, and only one of the two.
  create_bulk_update: /^(201$|422 invalid )/,
  // It requires a starting URL or a site, and random ids are no sites.
  create_schedule: /^(201$|422 invalid )/,
  // Its attributes exclude each other, and name schedules by ids.
  create_notification_channel: /^(201$|422 invalid)/,
  update_notification_channel: /^(200$|422 invalid)/,
  // The channel is a webhook.
  create_notification_channel_confirmation: /^409 conflict$/,
  // A pending delivery, as after the first request.
  repeat_notification_channel_delivery: /^(20[01]|409 conflict)$/,
  accept_invitation: /^409 conflict$/,
  // They take the secret of a share link, not a token.
  get_share: /^404 not_found$/,
  list_share_sites: /^404 not_found$/,
  // Its attributes exclude each other, and random ids are no sites.
  create_share_link: /^(201$|422 invalid)/,
  get_events: /^(200|404 not_found)$/,
  // Often without such a site, or with a site that is merged already.
  merge_site: /^(200|404 not_found|422 invalid)$/,
  // An earlier request may have deactivated the schedule, or had pages checked again.
  create_schedule_run: /^(201|409 conflict)$/,
  get_report_export: /^(200|409 report_not_finished)$/,
  // There is no report to compare with.
  list_report_changes: /^(200|404 not_found)$/,
  list_report_changes_pages: /^(200|404 not_found)$/,
};

const document = openApiDocument(ENDPOINTS, '');
const targets: Target[] = Object.entries(document.paths)
  .filter(([, item]) => item.servers === undefined)
  .flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined || operation.security !== undefined
        ? []
        : [{ method: method.toUpperCase(), path, operation, whenValid: WHEN_VALID[operation.operationId] }];
    }),
  );

/** Every response is the right one and matches the OpenAPI document; `startApi` compares them. */
describe('fuzz', () => {
  let api: TestApi;
  let values: Values;
  let sent = 0;
  before(async () => {
    api = await startApi();
    await makeOperator(api.db, api.people.ownerId, true);
    values = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
  });
  after(() => api?.close());

  const check = async (request: FuzzRequest): Promise<void> => {
    const { method, path, headers, body, what, expected } = request;
    const token = request.token === 'worthless' ? 'x' : request.token && api.people[request.token];
    const reply = await api.send(method, path, { token, headers, body });
    sent += 1;
    const given = reply.errors.length > 0 ? reply.errors : [String(reply.status)];
    const isRight = given.some((answer) => expected.some((pattern) => pattern.test(answer)));
    assert.ok(isRight, `${what}: expected ${expected.join(' or ')}, not ${given.join(', ')}\n${reply.text}`);
    const location = reply.headers['location'];
    if (typeof location === 'string') await api.send('DELETE', location);
  };

  for (const target of targets) {
    test(target.operation.operationId, async () => {
      const requests = requestsTo(target, values);
      const numRuns = Math.ceil(REQUESTS / targets.length);
      await fc.assert(fc.asyncProperty(requests, check), { numRuns, endOnFailure: true });
    });
  }

  test('no request causes an internal error', () => {
    assert.ok(sent >= REQUESTS);
    assert.deepEqual(
      api.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });
});
