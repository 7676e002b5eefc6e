import { openSession } from '../../src/accounts/sessions.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import type { Reply, TestApi } from './api.ts';

/** A browser without scripts: it keeps cookies, and sends what browsers send with requests of the service's own pages. */
export interface Visitor {
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
  /** The `Set-Cookie` headers so far. */
  readonly setCookies: readonly string[];
  send(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Signs in, and fails unless that works. */
  signIn(email: string, password?: string): Promise<Reply>;
}

/** The password of every account that has one. */
export const PASSWORD = 'correct horse battery';

export function visit(api: Pick<TestApi, 'send'>, userAgent = 'Test/1.0'): Visitor {
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];
  const send: Visitor['send'] = async (method, path, body, headers = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await api.send(method, path, {
      token: null,
      ...(body !== undefined && { body }),
      headers: {
        'user-agent': userAgent,
        ...(method !== 'GET' && { 'sec-fetch-site': 'same-origin' }),
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
    });
    for (const text of [reply.headers['set-cookie'] ?? []].flat()) {
      setCookies.push(text);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/Max-Age=0/.test(text)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
  return {
    cookies,
    setCookies,
    send,
    get: (path) => send('GET', path),
    async signIn(email, password = PASSWORD) {
      const reply = await send('POST', '/auth/sign-in', { email, password });
      if (reply.status !== 200) throw new Error(`${email} cannot sign in: ${reply.text}`);
      return reply;
    },
  };
}

/** A browser with a session of an account, whether or not it has a password. */
export async function visitAs(
  api: Pick<TestApi, 'db' | 'send'>,
  accountId: string,
  userAgent?: string,
): Promise<Visitor> {
  const visitor = visit(api, userAgent);
  const { secret } = await openSession(api.db, accountId, { userAgent });
  visitor.cookies.set(SESSION_COOKIE, secret);
  return visitor;
}

/** Changes the first character of a value in base64url: not all bits of the last one count. */
export function tampered(value: string): string {
  return `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`;
}
