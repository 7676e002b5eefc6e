/**
 * Checks pages with the consent banners of real libraries, unpacked from their packages into a directory, with both choices:
 *
 *   npm run bench:consent -- DIRECTORY
 *
 * DIRECTORY has klaro, vanilla-cookieconsent, cookieconsent, tarteaucitronjs and orejime, as `npm pack` and `tar` leave them.
 */
import { parseArgs } from 'node:util';
import { A11Y } from '../src/checks/a11y/description.ts';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT } from '../src/domain/check.ts';
import { CONSENT_CHOICES } from '../src/domain/consent.ts';
import { fetchDocument, testPool } from '../test/helpers/browser.ts';
import { startTestSite } from '../test/helpers/test-site.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [directory = '.'] = positionals;
const checkTimeoutMs = 300_000;
const files = await startTestSite({ directory }, { headers: { 'access-control-allow-origin': '*' } });
const at = (path: string): string => `${files.origin}/${path}`;

/** By name: the head of a page and what follows its content. */
const LIBRARIES: Readonly<Record<string, readonly [head: string, end: string]>> = {
  klaro: [
    `<script>window.klaroConfig = { privacyPolicy: '/privacy', services: [{ name: 'stats', title: 'Stats', purposes: ['analytics'] }] }</script>`,
    `<script defer src="${at('klaro/dist/klaro.js')}"></script>`,
  ],
  'vanilla-cookieconsent': [
    `<link rel="stylesheet" href="${at('vanilla-cookieconsent/dist/cookieconsent.css')}">`,
    `<script src="${at('vanilla-cookieconsent/dist/cookieconsent.umd.js')}"></script>
    <script>CookieConsent.run({ hideFromBots: false, categories: { necessary: { enabled: true, readOnly: true }, analytics: {} }, language: { default: 'en', translations: { en: {
      consentModal: { title: 'We use cookies', description: 'Cookie modal description', acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', showPreferencesBtn: 'Manage Individual preferences' },
      preferencesModal: { title: 'Manage cookie preferences', acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', savePreferencesBtn: 'Accept current selection', closeIconLabel: 'Close modal', sections: [] } } } } })</script>`,
  ],
  'vanilla-cookieconsent in German': [
    `<link rel="stylesheet" href="${at('vanilla-cookieconsent/dist/cookieconsent.css')}">`,
    `<script src="${at('vanilla-cookieconsent/dist/cookieconsent.umd.js')}"></script>
    <script>CookieConsent.run({ hideFromBots: false, categories: { necessary: { enabled: true, readOnly: true }, analytics: {} }, language: { default: 'de', translations: { de: {
      consentModal: { title: 'Wir verwenden Cookies', description: 'Ihre Einwilligung', acceptAllBtn: 'Alle akzeptieren', acceptNecessaryBtn: 'Alle ablehnen', showPreferencesBtn: 'Einstellungen' },
      preferencesModal: { title: 'Einstellungen', acceptAllBtn: 'Alle akzeptieren', acceptNecessaryBtn: 'Alle ablehnen', savePreferencesBtn: 'Auswahl speichern', closeIconLabel: 'Schließen', sections: [] } } } } })</script>`,
  ],
  'cookieconsent, information': [
    `<link rel="stylesheet" href="${at('cookieconsent/build/cookieconsent.min.css')}">`,
    `<script src="${at('cookieconsent/build/cookieconsent.min.js')}"></script>
    <script>window.cookieconsent.initialise({ palette: { popup: { background: '#000' }, button: { background: '#f1d600' } } })</script>`,
  ],
  'cookieconsent, opt-in': [
    `<link rel="stylesheet" href="${at('cookieconsent/build/cookieconsent.min.css')}">`,
    `<script src="${at('cookieconsent/build/cookieconsent.min.js')}"></script>
    <script>window.cookieconsent.initialise({ type: 'opt-in', palette: { popup: { background: '#000' }, button: { background: '#f1d600' } } })</script>`,
  ],
  tarteaucitron: [
    `<script src="${at('tarteaucitronjs/tarteaucitron.js')}"></script>`,
    `<script>tarteaucitron.init({ privacyUrl: '', bodyPosition: 'bottom', hashtag: '#tarteaucitron', cookieName: 'tarteaucitron', orientation: 'middle', groupServices: false, showAlertSmall: false, cookieslist: false, closePopup: false, showIcon: true, iconPosition: 'BottomRight', adblocker: false, DenyAllCta: true, AcceptAllCta: true, highPrivacy: true, handleBrowserDNTRequest: false, removeCredit: false, moreInfoLink: true, useExternalCss: false, useExternalJs: false, readmoreLink: '', mandatory: true });
    tarteaucitron.user.gtagUa = 'G-X'; (tarteaucitron.job = tarteaucitron.job || []).push('gtag');</script>`,
  ],
  orejime: [
    `<link rel="stylesheet" href="${at('orejime/dist/orejime-standard.css')}">
    <script>window.orejimeConfig = { privacyPolicyUrl: '/privacy', purposes: [{ id: 'stats', title: 'Statistiques', cookies: ['_ga'] }] }</script>`,
    `<script src="${at('orejime/dist/orejime-standard-fr.js')}"></script>`,
  ],
};
const names = Object.keys(LIBRARIES);
const site = await startTestSite({
  '*': ({ url = '' }, response) => {
    const [, library = '', page = ''] = url.split('/');
    const [head, end] = LIBRARIES[names[Number(library)] ?? ''] ?? ['', ''];
    const body = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page</title>${head}</head><body><main><h1>Page ${page}</h1><p>A shop.</p></main>${end}</body></html>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  },
});
const engine = createA11yEngine({ pool: testPool() });
await engine.start();
for (const [index, name] of names.entries()) {
  for (const choice of CONSENT_CHOICES) {
    const texts: string[] = [];
    for (const [position, keepsBanner] of [true, false, false].entries()) {
      const document = await fetchDocument(`${site.origin}/${index}/${position}`);
      const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: `${name} ${choice}` };
      const startedAt = performance.now();
      const answer = await engine.collect(
        { ...input, consent: { choice, keepsBanner } },
        AbortSignal.timeout(checkTimeoutMs),
      );
      const { issues, notes, shownAs } = A11Y.interpret(answer, document.url);
      const howMany = issues.reduce((sum, issue) => sum + issue.howMany, 0);
      const remark = notes.map(({ code }) => ` ${code}`).join('');
      texts.push(`${shownAs?.consent} ${howMany} issues ${Math.round(performance.now() - startedAt)} ms${remark}`);
    }
    console.log(`${name}, ${choice}: ${texts.join('; ')}`);
  }
}
const others = [...site.requests, ...files.requests].filter(({ method }) => method !== 'GET');
console.log(`${others.length} requests other than GET`);
await engine.stop();
await Promise.all([site.stop(), files.stop()]);
