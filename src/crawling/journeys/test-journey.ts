import { randomUUID } from 'node:crypto';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { settleLivePage } from '../../browser/page-load/show-document.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import { secretsOfJourneys } from '../../domain/journey.ts';
import { isNoAccess, ownOrigins, type SignIn } from '../../domain/site-access.ts';
import { testTimeoutMs } from '../../logins/limits.ts';
import { runLogin } from '../../logins/run-login.ts';
import { createTakeCode } from '../../logins/take-code.ts';
import {
  type JourneyToTest,
  type StepsTest,
  type TestJourney,
  type TryMeans,
  trySteps,
} from '../../logins/try-steps.ts';
import type { Database } from '../../store/database.ts';
import type { CredentialStore } from '../../store/reports/credential-store.ts';
import { attemptJourney, type JourneyMeans } from './run-journey.ts';

interface Parts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly pool: Pick<BrowserPool, 'withPage'>;
  readonly limits: NonNullable<JourneyMeans['limits']>;
}

export function createJourneyTester(parts: Parts): TestJourney {
  const takeCode = createTakeCode(parts);
  return (accountId, toTest) => {
    const failed = (why: Failure): Failure => ({ code: 'journey_broke_off', params: { why } });
    const toTry = { accountId, secrets: secretsOfJourneys([toTest.journey]), timeoutMs: testTimeoutMs, failed };
    return trySteps({ ...parts, takeCode }, toTry, async (means) => {
      const id = randomUUID();
      const signedIn = await signIn(parts, id, toTest, means);
      if ('failure' in signedIn) return { failure: signedIn.failure, failedStep: null };
      return perform(parts, id, { ...toTest, ...signedIn }, means);
    });
  };
}

/** Returns how the pages of a journey are signed in; undefined if the site has no credentials. */
async function signIn(
  { pool }: Parts,
  id: string,
  { access, startingUrl, viewport }: JourneyToTest,
  { takeCode, signal }: TryMeans,
): Promise<{ readonly signIn: SignIn | undefined } | { readonly failure: Failure }> {
  const origins = ownOrigins(startingUrl, null);
  const { login = null } = access;
  if (login === null) return { signIn: isNoAccess(access) ? undefined : { access, origins } };
  const owner = { id, access: { ...access, login }, startingUrl, siteUrl: null, viewport };
  const result = await runLogin(owner, { pool, takeCode, signal });
  if ('session' in result) return { signIn: { access, origins, session: result.session, keepsStorage: true } };
  return { failure: { code: 'login_failed', params: { why: result.failure } } };
}

async function perform(
  { pool, limits }: Parts,
  id: string,
  { journey, startingUrl, viewport, signIn }: JourneyToTest & { readonly signIn: SignIn | undefined },
  { takeCode, signal, onStep }: TryMeans,
): Promise<Pick<StepsTest, 'failure' | 'failedStep'>> {
  const secrets = secretsOfJourneys([journey]);
  // Nothing is checked at marks.
  const toRun = { journey, startingUrl, viewport, cacheGroup: `journey ${id}`, standard: null, engines: [], secrets };
  const ending = await attemptJourney(
    toRun,
    signIn,
    { pool, takeCode, limits, signal },
    {
      onStep,
      progress: { hasActed: false },
      atMark: async (_, { browserPage, live, stepAside, limits: loadLimits }) => {
        await settleLivePage(browserPage, live, stepAside, loadLimits);
      },
    },
  );
  return { failure: ending?.failure ?? null, failedStep: ending?.step ?? null };
}
