import type { LoginSession } from '../../domain/login-session.ts';
import { type Doubt, hidesPage, leadsToLogin } from '../../domain/session-end.ts';
import type { SignIn } from '../../domain/site-access.ts';
import type { LinkAnswer, PageLinksAnswered } from './ask-link.ts';

/** Returns what suggests that the session ended before the links of a page were requested. */
export function doubtsIn(links: PageLinksAnswered['links'], signIn: SignIn | undefined): readonly Doubt[] {
  const { session, origins } = signIn ?? {};
  if (session === undefined) return [];
  return links.flatMap(({ url, answer }) => {
    const sign = origins?.has(new URL(url).origin) === true ? signIn && signOf(url, answer, session) : null;
    return sign ? [{ sign, url }] : [];
  });
}

function signOf(url: string, answer: LinkAnswer, session: LoginSession): Doubt['sign'] | null {
  if (answer.kind === 'redirect_loop') return 'resource';
  if (answer.kind !== 'status') return null;
  const { status } = answer;
  if (status === 401 || (answer.url !== url && leadsToLogin(session, answer.url))) return 'resource';
  return hidesPage(status) ? 'missing' : null;
}
