import { Value } from 'typebox/value';
import { UUID } from '../../domain/schemas.ts';
import { openSecret } from '../../platform/kept-secret.ts';
import { type FireParts, fireSchedule } from '../../schedules/fire-schedule.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import { findPlan } from '../../store/guest-accounts.ts';
import { findReport } from '../../store/reports.ts';
import type { Schedule } from '../../store/schedules.ts';
import { type Answer, notFound } from '../http/endpoint.ts';
import type { Links } from '../http/links.ts';
import { single } from '../jsonapi/document.ts';
import { renderReport } from './report-resource.ts';

/** Beside `/api/v1`. It takes no token: the address is the secret. */
export const DEPLOY_HOOK_PATH = '/schedule/{schedule_id}/{hook_secret}/fire';

/** Where the schedule's deploy hook is; null where its secret was sealed with another key. */
export function deployHookPath(
  credentialStore: CredentialStore,
  { id, hook_hash, hook_sealed }: Schedule,
): string | null {
  const secret = openSecret(credentialStore.box, hook_hash, hook_sealed);
  return secret && DEPLOY_HOOK_PATH.replace('{schedule_id}', id).replace('{hook_secret}', secret);
}

export interface DeployHookCall extends FireParts {
  readonly links: Links;
  readonly scheduleId: string;
  readonly secret: string;
}

/**
 * Runs the schedule and answers 202 with the report, as its owner sees it.
 * @throws AppError as `fireSchedule`
 */
export async function answerDeployHook(call: DeployHookCall): Promise<Answer> {
  if (!Value.Check(UUID, call.scheduleId)) throw notFound();
  const report = await findReport(call.db, await fireSchedule(call, call.scheduleId, call.secret));
  if (report === undefined) throw notFound();
  const accountId = report.account_id;
  const viewer = { accountId, plan: await findPlan(call.db, accountId) };
  return { status: 202, document: single(renderReport(report, { viewer, links: call.links })) };
}
