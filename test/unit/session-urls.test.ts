import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeSignIn, readsLikeSignOut, signsOut } from '../../src/domain/session-urls.ts';

const SIGN_OUT = [
  '/logout',
  '/logout/',
  '/Logout.aspx',
  '/logout.php?sesskey=1',
  '/users/sign_out',
  '/account/log-out',
  '/account/signoff',
  '/Account/LogOff',
  '/sign-out.html',
  '/my-account/customer-logout/?_wpnonce=1',
  '/wp-login.php?action=logout&_wpnonce=1',
  '/index.php?task=user.logout',
  '/index.php?route=account/logout',
  '/wiki/Special:UserLogout',
  '/index.php?title=Special:UserLogout',
  '/?logout=1',
  '/shop?logout',
];
const NOT_SIGN_OUT = [
  '/',
  '/logout/help',
  '/blog/how-to-logout',
  '/logouts',
  '/login?next=/logout',
  '/login?loggedout=true',
  '/search?q=logout',
  '/signup',
  '/layout',
  '/about.logout.example',
];
const SIGN_IN = [
  '/login',
  '/login?next=%2Fa',
  '/login/identifier',
  '/users/sign_in',
  '/wp-login.php?redirect_to=x',
  '/Account/LogOn.aspx',
  '/oauth2/authorize?client_id=1',
  '/sso',
  '/index.php?title=Special:UserLogin&returnto=x',
];
const NOT_SIGN_IN = ['/', '/blogin', '/login-help', '/signing', '/a?next=/login', '/logout', '/plugins', '/author'];

test('detects URLs that sign out, and URLs that look like login pages', () => {
  const whichOf = (matches: (url: string) => boolean, paths: readonly string[]) =>
    paths.filter((path) => matches(`https://example.com${path}`));
  assert.deepEqual(whichOf(signsOut, [...SIGN_OUT, ...NOT_SIGN_OUT]), SIGN_OUT);
  assert.deepEqual(whichOf(looksLikeSignIn, [...SIGN_IN, ...NOT_SIGN_IN]), SIGN_IN);
});

test('links in the usual languages say that they sign out', () => {
  const texts = [
    'Log out',
    ' Sign\n  out ',
    'ABMELDEN',
    'Se déconnecter',
    'Cerrar sesión',
    'Выйти',
    '退出登录',
    'Logout',
  ];
  assert.deepEqual(
    texts.filter((text) => !readsLikeSignOut(text)),
    [],
  );
  const others = ['', 'Log out of all devices?', 'Blog outlook', 'Sign in', 'Checkout', `Log${' '.repeat(100)}out`];
  assert.deepEqual(others.filter(readsLikeSignOut), []);
  const urls = ['https://example.com/abmelden', 'https://example.com/d%C3%A9connexion', 'https://example.com/logga-ut'];
  assert.deepEqual(
    urls.filter((url) => !signsOut(url)),
    [],
  );
});
