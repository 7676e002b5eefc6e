import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTestSite, type TestSite } from './test-site.ts';

/** The only user of the applications below. */
export const USER = { name: 'checker', password: 'correct-horse-9' } as const;

export interface LoginSite extends TestSite {
  /** Logins that have worked. */
  logins(): number;
  /** The one-time passwords that were entered. */
  readonly codes: readonly string[];
  /** The methods of the requests that `/deep` sends when it loads. */
  readonly methods: readonly string[];
}

interface LoginSiteOptions {
  /** Pages that a session shows before the site ends it. Default: it does not end. */
  readonly sessionPages?: number;
  /** Pages that the start page links to. */
  readonly pages?: number;
  /** Whether it asks for a one-time password, which `codes` collects. */
  readonly hasCodes?: boolean;
  /**
   * What people without a session see:
   * - `redirect`: a redirect to `/login` (default)
   * - `form`: the form, at the URL of the page
   * - `email`: at the URL of the page, a form that asks for the name first, without a password field
   * - `hops`: a redirect that does not look like a login, and then to `/login`
   * - `missing`: 404, or 403 for pages with odd numbers, except for `/`
   */
  readonly strangers?: 'redirect' | 'form' | 'email' | 'hops' | 'missing';
  /** Logins that the password is good for. Default: all. */
  readonly goodLogins?: number;
}

const html = (title: string, content: string): string =>
  `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`;

/** What only login pages contain: a list without a name, which axe reports as `select-name`. */
const LOGIN_MARK = '<select></select>';
/** What only pages of the application contain: a button without a name, reported as `button-name`. */
const PAGE_MARK = '<button></button>';

const formTo = (action: string): string =>
  html(
    'Log in',
    `<form method=post action=${action}>${LOGIN_MARK}<label>Name <input name=name id=name></label>
   <label>Password <input type=password name=password id=password></label><button>Log in</button></form>`,
  );
const FORM = formTo('/login');
const NAME_FORM = html(
  'Welcome',
  `<form method=post action=/name>${LOGIN_MARK}<label>Name <input name=name id=name></label><button>Next</button></form>`,
);
const PASSWORD_FORM = html(
  'Welcome',
  `<form method=post action=/login><input type=hidden name=name value=${USER.name}>
   <label>Password <input type=password name=password id=password></label><button>Log in</button></form>`,
);
const CODE_FORM = html(
  'Code',
  `<form method=post action=/code><label>Code <input name=code id=code></label><button>Go on</button></form>`,
);

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

const cookieOf = (request: IncomingMessage, name: string): string | undefined =>
  request.headers.cookie
    ?.split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const leadTo = (response: ServerResponse, location: string, cookies: readonly string[] = []): void =>
  void response.writeHead(303, { location, 'set-cookie': [...cookies] }).end();

const show = (response: ServerResponse, body: string, cookies: readonly string[] = []): void =>
  void response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': [...cookies] }).end(body);

/**
 * An application with a login form:
 * - `/` links to its pages, to a logout in German, and to a part behind a single sign-on
 * - `/deep` requires a cookie that `/` sets, and its script sends a POST and a GET
 * - `/app` keeps a token in local storage; its scripts show everything
 */
export async function startLoginSite({
  sessionPages = Number.POSITIVE_INFINITY,
  pages = 0,
  hasCodes = false,
  strangers = 'redirect',
  goodLogins = Number.POSITIVE_INFINITY,
}: LoginSiteOptions = {}): Promise<LoginSite> {
  const left = new Map<string, number>();
  const codes: string[] = [];
  const methods: string[] = [];
  let logins = 0;
  const begin = (): string => {
    logins += 1;
    const session = `session-${logins}-${'x'.repeat(20)}`;
    left.set(session, sessionPages);
    return session;
  };
  /** Takes one of the pages that a session has left. */
  const isValid = (session: string | undefined, method = 'GET'): boolean => {
    const rest = session === undefined ? 0 : (left.get(session) ?? 0);
    if (session !== undefined && method === 'GET') left.set(session, rest - 1);
    return rest > 0;
  };
  const page = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    const linked =
      path === '/' ? Array.from({ length: pages }, (_, index) => `<a href=/page/${index}>Page ${index}</a>`) : [];
    const links = linked.join(' ');
    const visit = "<script>fetch('/visits', { method: 'POST' }); fetch('/visits')</script>";
    const body = html(
      `Page ${path}`,
      `${PAGE_MARK}${path === '/deep' ? visit : ''}<a href=/deep>Deep</a> ${links} <a href=/ende>Abmelden</a>`,
    );
    if (!isValid(cookieOf(request, 'sid'), request.method)) turnAway(path, response);
    else if (path === '/deep' && cookieOf(request, 'visited') === undefined) response.writeHead(403).end();
    else show(response, body, ['visited=1; Path=/']);
  };
  const turnAway = (path: string, response: ServerResponse): void => {
    const ended = ['sid=; Max-Age=0; Path=/'];
    if (strangers === 'form') show(response, FORM, ended);
    else if (strangers === 'email') show(response, NAME_FORM, ended);
    else if (strangers === 'missing' && path !== '/') response.writeHead(/[13579]$/.test(path) ? 403 : 404).end();
    else leadTo(response, strangers === 'hops' ? `/start?rd=${path}` : `/login?next=${path}`, ended);
  };
  const site = await startTestSite({
    '/start': (request, response) => leadTo(response, `/login?next=${request.url}`),
    '/name': async (request, response) => {
      if ((await formOf(request)).get('name') !== USER.name) return show(response, NAME_FORM);
      show(response, PASSWORD_FORM);
    },
    '/login': async (request, response) => {
      if (request.method !== 'POST') return show(response, FORM);
      const form = await formOf(request);
      const isRight = form.get('name') === USER.name && form.get('password') === USER.password && logins < goodLogins;
      if (!isRight) return show(response, FORM);
      if (hasCodes) return show(response, CODE_FORM);
      leadTo(response, '/', [`sid=${begin()}; Path=/; HttpOnly`]);
    },
    '/code': async (request, response) => {
      codes.push((await formOf(request)).get('code') ?? '');
      leadTo(response, '/', [`sid=${begin()}; Path=/; HttpOnly`]);
    },
    '/ende': (request, response) => {
      left.delete(cookieOf(request, 'sid') ?? '');
      leadTo(response, '/login');
    },
    '/sso': async (request, response) => {
      // An identity provider on another host, which the browser visits during the login.
      if (request.method !== 'POST') return show(response, formTo('/sso'));
      const form = await formOf(request);
      if (form.get('password') !== USER.password) return show(response, formTo('/sso'));
      const home = `http://127.0.0.1:${new URL(`http://${request.headers.host}`).port}`;
      leadTo(response, `${home}/callback?session=${begin()}`);
    },
    '/callback': (request, response) => {
      const session = new URL(request.url ?? '', 'http://site').searchParams.get('session');
      leadTo(response, '/', [`sid=${session}; Path=/; HttpOnly`]);
    },
    '/api/login': async (request, response) => {
      const { password } = JSON.parse([...(await formOf(request)).keys()].join(''));
      if (password !== USER.password) return void response.writeHead(401).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: begin() }));
    },
    '/visits': (request, response) => {
      methods.push(request.method ?? '');
      response.writeHead(204).end();
    },
    '/api/me': (request, response) => {
      const token = request.headers.authorization?.slice('Bearer '.length);
      response.writeHead(isValid(token) ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
    },
    '/app': (_, response) => show(response, APP),
    ...Object.fromEntries(['/app/one', '/app/two'].map((path) => [path, APP])),
    '/': page,
    '*': page,
  });
  return { ...site, codes, methods, logins: () => logins };
}

/** An application whose scripts show everything. */
const APP = html(
  'App',
  `<div id=app></div><script>
  const app = document.getElementById('app');
  const showPages = () => { app.innerHTML = '${PAGE_MARK}<p id=inside>Inside</p><a href=/app/one>One</a> <a href=/app/two>Two</a>'; };
  const showForm = () => {
    app.innerHTML = '${LOGIN_MARK}<label>Password <input type=password id=password></label><button id=go>Log in</button>';
    document.getElementById('go').onclick = async () => {
      const body = JSON.stringify({ password: document.getElementById('password').value });
      const answer = await fetch('/api/login', { method: 'POST', body });
      if (!answer.ok) return;
      localStorage.setItem('auth', JSON.stringify(await answer.json()));
      showPages();
    };
  };
  const { token } = JSON.parse(localStorage.getItem('auth') ?? '{}');
  fetch('/api/me', { headers: { authorization: 'Bearer ' + token } }).then((answer) => (answer.ok ? showPages() : showForm()));
  </script>`,
);
