import type { FastifyInstance } from 'fastify';
import { Check } from 'typebox/schema';
import { UUID } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { openSecret } from '../../platform/kept-secret.ts';
import { fireSchedule } from '../../schedules/run-schedule.ts';
import { findPlan } from '../../store/accounts/guest-accounts.ts';
import type { CredentialStore } from '../../store/reports/credential-store.ts';
import { findReport } from '../../store/reports/reports.ts';
import type { Schedule } from '../../store/schedules/schedules.ts';
import { keepBodies, sendDocument } from '../http/body.ts';
import type { ApiParts } from '../http/endpoint.ts';
import { baseUrlFor, linksFrom, routeOf } from '../http/links.ts';
import { single } from '../jsonapi/document.ts';
import { renderReport } from './report-resource.ts';

/** Outside `/api/v1`. Requires no token, because the URL is the secret. */
export const DEPLOY_HOOK_PATH = '/schedule/{schedule_id}/{hook_secret}/fire';

/** Returns the path of a schedule's deploy hook; null if its secret was encrypted with another key. */
export function deployHookPath(
  credentialStore: CredentialStore,
  { id, hook_hash, hook_sealed }: Schedule,
): string | null {
  const secret = openSecret(credentialStore.box, hook_hash, hook_sealed);
  return secret && DEPLOY_HOOK_PATH.replace('{schedule_id}', id).replace('{hook_secret}', secret);
}

/**
 * Plugin for deploy hooks. A call runs the schedule, and gets 202 with the report as the schedule's owner sees it, without
 * secrets; or 204 if the call reports that nothing has been deployed yet.
 */
export function deployHook(
  server: FastifyInstance,
  { db, credentialStore, clock, config }: Pick<ApiParts, 'db' | 'credentialStore' | 'clock' | 'config'>,
  done: () => void,
): void {
  keepBodies(server);
  const parts = { db, credentialStore, clock, planLimits: config.planLimits };
  server.post<{ Params: { schedule_id: string; hook_secret: string } }>(
    routeOf(DEPLOY_HOOK_PATH),
    async (request, reply) => {
      const { schedule_id: scheduleId, hook_secret: secret } = request.params;
      if (!Check(UUID, scheduleId)) throw notFound();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const reportId = await fireSchedule(parts, scheduleId, secret, { headers: request.headers, body });
      if (reportId === null) return sendDocument(reply, 204, null);
      const report = await findReport(db, reportId);
      if (report === undefined) throw notFound();
      const accountId = report.account_id;
      const baseUrl = baseUrlFor(request, config);
      // Callers who have the URL are not the owner, so they must not see secrets.
      const viewer = { accountId, link: null, plan: await findPlan(db, accountId), scope: 'read' } as const;
      return sendDocument(
        reply,
        202,
        single(renderReport(report, { viewer, credentialStore, baseUrl, links: linksFrom(baseUrl) })),
      );
    },
  );
  done();
}
