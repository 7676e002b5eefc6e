import { viewportOf } from '../browser/devices.ts';
import { noteUrlCharactersMax } from '../browser/page-load/limits.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import { CheckFault } from '../domain/check-fault.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { secretsOfSession } from '../domain/login-session.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import { ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';
import type { NumberedSession, ReportSessions } from '../logins/report-sessions.ts';
import type { LoginOwner } from '../logins/run-login.ts';
import type { ClaimedCheck } from '../queue/claims.ts';
import { type CredentialStore, UnreadableAccess } from '../store/reports/credential-store.ts';

/** The credentials of a page's site, and how to mask them. */
export interface CheckedSite {
  /** Undefined without credentials. */
  readonly signIn: SignIn | undefined;
  readonly access: SiteAccess;
  /** Values of the session of the report's login, to be masked. */
  readonly ofSession: readonly string[];
  /** Null without credentials. */
  readonly redaction: Redaction | null;
  /** Notes on what the session has changed about the check that has run. */
  notes(): readonly CheckNote[];
  /** Runs a check with the session of the report, and again if the session has ended. */
  signedIn<Result>(run: (site: CheckedSite) => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

interface SiteParts {
  readonly credentialStore: CredentialStore;
  readonly sessions: ReportSessions;
  readonly engine: Pick<CheckEngine, 'showsPages' | 'waitsForOthers'>;
}

/** How often a page is checked whose session has ended each time. */
const ENDS_MAX = 3;

/** @returns the failure if the credentials cannot be decrypted, because they could not be masked either */
export function openSite(parts: SiteParts, check: ClaimedCheck): CheckedSite | { readonly error: Failure } {
  const { reportId, startingUrl, siteUrl, siteAccess } = check;
  try {
    const access = parts.credentialStore.open(siteAccess, `report ${reportId}`);
    const signIn = siteAccess === null ? undefined : { access, origins: ownOrigins(startingUrl, siteUrl) };
    const site = { signIn, access, ofSession: [], redaction: createRedaction(access), notes: () => [] };
    return {
      ...site,
      signedIn: (run, signal) => withSession(parts, check, { site: { ...site, signedIn: neverNested }, run, signal }),
    };
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    return { error: error.failure };
  }
}

const neverNested = (): never => {
  throw new Error('A check signs in once.');
};

interface SignedInRun<Result> {
  readonly site: CheckedSite;
  readonly run: (site: CheckedSite) => Promise<Result>;
  readonly signal: AbortSignal;
}

async function withSession<Result>(
  { sessions, engine }: SiteParts,
  check: ClaimedCheck,
  { site, run, signal }: SignedInRun<Result>,
): Promise<Result> {
  const { access, signIn } = site;
  const { login = null } = access;
  if (login === null || signIn === undefined) return run(site);
  const viewport = viewportOf(check.deviceId, check.deviceRotated) ?? DEFAULT_VIEWPORT;
  const { reportId: id, startingUrl, siteUrl } = check;
  const owner: LoginOwner = { id, access: { ...access, login }, startingUrl, siteUrl, viewport };
  // Other engines examine the stored document, for which a session is only masked.
  const needsSession = engine.showsPages || engine.waitsForOthers === true;
  let current = needsSession ? known(await sessions.open(owner, signal)) : await sessions.find(id);
  for (let times = 1; ; times += 1) {
    if (current === null) return run(site);
    const { session, number } = current;
    let isDoubted = false;
    const onDoubt = (): void => {
      isDoubted = true;
    };
    let [blocked, firstUrl] = [0, ''];
    const onBlockedWrite = (url: string): void => {
      blocked += 1;
      firstUrl ||= url.slice(0, noteUrlCharactersMax);
    };
    const ofSession = secretsOfSession(session);
    const own: CheckedSite = {
      ...site,
      ofSession,
      redaction: createRedaction(access, ofSession),
      signIn: { ...signIn, session, onDoubt, ...(check.blocksWrites && { onBlockedWrite }) },
      notes: () => (blocked === 0 ? [] : [{ code: 'writes_blocked', params: { times: blocked, url: firstUrl } }]),
    };
    const ended = await run(own).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (isDoubted && times < ENDS_MAX) {
      current = known(await sessions.verify(owner, number, signal));
      if (current.number !== number) continue;
    }
    if ('error' in ended) throw ended.error;
    return ended.result;
  }
}

/** @throws CheckFault if the login did not work */
function known(state: Awaited<ReturnType<ReportSessions['open']>>): NumberedSession {
  if ('failure' in state) throw new CheckFault(state.failure, { permanent: true });
  return state;
}
