import { isBrowserMissing } from '../browser/browser-fault.ts';
import { viewportOf } from '../browser/devices.ts';
import { noteUrlCharactersMax } from '../browser/page-load/limits.ts';
import type { StepAside } from '../browser/page-permit.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import { CheckFault } from '../domain/check-fault.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import type { Doubt } from '../domain/session-end.ts';
import { ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';
import { sessionEndsMax } from '../logins/limits.ts';
import type { NumberedSession, SessionState } from '../logins/renew-session.ts';
import type { ReportSessions } from '../logins/report-sessions.ts';
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
  /** Masks credentials and session; returns null without credentials. Computed on demand, because few checks need it. */
  redaction(): Redaction | null;
  /** Notes on what the session has changed about the check that has run. */
  notes(): readonly CheckNote[];
  /** Runs a check with the session of the report, and again if the session has ended. Steps aside while others sign in. */
  signedIn<Result>(run: (site: CheckedSite) => Promise<Result>, means: Means): Promise<Result>;
}

interface Means {
  readonly signal: AbortSignal;
  /** Used while waiting for a login, which may take minutes. */
  readonly stepAside: StepAside;
}

interface SiteParts {
  readonly credentialStore: CredentialStore;
  readonly sessions: ReportSessions;
  readonly engine: Pick<CheckEngine, 'showsPages' | 'waitsForOthers'>;
}

/** @returns the failure if the credentials cannot be decrypted, because they could not be masked either */
export function openSite(parts: SiteParts, check: ClaimedCheck): CheckedSite | { readonly error: Failure } {
  const { reportId, startingUrl, siteUrl, siteAccess } = check;
  try {
    const access = parts.credentialStore.open(siteAccess, `report ${reportId}`);
    const signIn = siteAccess === null ? undefined : { access, origins: ownOrigins(startingUrl, siteUrl) };
    const site = { signIn, access, ofSession: [], redaction: () => createRedaction(access), notes: () => [] };
    return {
      ...site,
      signedIn: (run, means) => withSession(parts, check, { ...means, site: { ...site, signedIn: neverNested }, run }),
    };
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    return { error: error.failure };
  }
}

const neverNested = (): never => {
  throw new Error('A check signs in once.');
};

interface SignedInRun<Result> extends Means {
  readonly site: CheckedSite;
  readonly run: (site: CheckedSite) => Promise<Result>;
}

async function withSession<Result>(
  { sessions, engine }: SiteParts,
  check: ClaimedCheck,
  { site, run, signal, stepAside }: SignedInRun<Result>,
): Promise<Result> {
  const { access, signIn } = site;
  const { login = null } = access;
  if (login === null || signIn === undefined) return run(site);
  const { reportId: id, startingUrl, siteUrl, blocksWrites } = check;
  const masked = async () => {
    const ofSession = await sessions.secrets(id);
    return { ...site, ofSession, redaction: () => createRedaction(access, ofSession) };
  };
  // Other engines examine the stored document, for which sessions are only masked.
  if (!engine.showsPages && engine.waitsForOthers !== true) return run(await masked());
  const viewport = viewportOf(check.deviceId, check.deviceRotated) ?? DEFAULT_VIEWPORT;
  const owner: LoginOwner = { id, access: { ...access, login }, startingUrl, siteUrl, viewport, blocksWrites };
  const begin = async (sign: () => Promise<SessionState>): Promise<NumberedSession> =>
    requireSession(await stepAside(sign).catch((error: unknown) => throwSignInFault(error, engine)));
  let current = await begin(() => sessions.open(owner, signal));
  for (let times = 1; ; times += 1) {
    const { session, number } = current;
    const doubts: Doubt[] = [];
    const onDoubt = (doubt: Doubt): void => void doubts.push(doubt);
    let [blocked, firstUrl] = [0, ''];
    const onBlockedWrite = (url: string): void => {
      blocked += 1;
      firstUrl ||= url.slice(0, noteUrlCharactersMax);
    };
    const own: CheckedSite = {
      ...(await masked()),
      signIn: { ...signIn, session, onDoubt, ...(blocksWrites && { onBlockedWrite }) },
      notes: () => (blocked === 0 ? [] : [{ code: 'writes_blocked', params: { times: blocked, url: firstUrl } }]),
    };
    const ended = await run(own).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (doubts.length > 0) {
      current = await begin(() => sessions.verify(owner, number, signal, doubts));
      if (current.number !== number) {
        if (times < sessionEndsMax) continue;
        throw new CheckFault({ code: 'login_not_kept', params: { times } }, { permanent: true });
      }
    }
    if ('error' in ended) throw ended.error;
    return ended.result;
  }
}

/**
 * @throws CheckFault that makes the check wait until the browser works, if the check itself needs the browser; other errors
 *   unchanged
 */
function throwSignInFault(cause: unknown, { showsPages }: SiteParts['engine']): never {
  if (!isBrowserMissing(cause)) throw cause;
  const blame = showsPages ? 'engine' : 'page';
  throw new CheckFault(
    { code: 'browser_unavailable', params: { text: cause.message } },
    { permanent: false, blame, cause },
  );
}

/** @throws CheckFault if the login did not work */
function requireSession(state: SessionState): NumberedSession {
  if ('failure' in state) throw new CheckFault(state.failure, { permanent: true });
  return state;
}
