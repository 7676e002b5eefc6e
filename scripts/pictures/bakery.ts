import type { Routes } from '../../test/helpers/test-site.ts';

/** A small site with realistic faults, at three times. Screenshots of the dashboard show it. */

/** `before`: a week ago; `now`: one fault less, two more, and a page that is gone; `fixed`: its search button has a name. */
export type BakeryState = 'before' | 'now' | 'fixed';

const STYLE = `
  body { margin: 0; font: 17px/1.6 Georgia, serif; color: #3b2a1a; background: #fdf8f0 }
  header, footer { padding: 16px 32px; background: #f3e3c8; display: flex; gap: 24px; align-items: center }
  header a { color: #6b3e12 }
  header img { width: 56px; height: 56px }
  main { padding: 24px 32px; max-width: 44rem }
  h1 { font-size: 40px; line-height: 1.1; color: #6b3e12 }
  ul.goods { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; padding: 0; list-style: none }
  ul.goods li { padding: 16px; background: #fff; border: 1px solid #e4cfa9; border-radius: 8px }
  .search { width: 32px; height: 32px; border: 0; background: url(/search.svg) }
`;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56"><circle cx="28" cy="28" r="26" fill="#c9792b"/>
  <path d="M14 34q14-22 28 0z" fill="#fdf8f0"/><path d="M22 30l4-6m2 6l4-6" stroke="#c9792b" stroke-width="2"/></svg>`;

const MAGNIFIER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M20 20l7 7M13 22a9 9 0 1 1 .1 0z"
  fill="none" stroke="#6b3e12" stroke-width="3"/></svg>`;

const PLACES = [
  ['/', 'Home'],
  ['/bread.html', 'Bread'],
  ['/cakes.html', 'Cakes'],
  ['/shops.html', 'Shops'],
  ['/order.html', 'Order'],
  ['/story.html', 'Our story'],
] as const;

/** Returns the pages of the bakery at a time. The time is read at each request. */
export function bakery(state: () => BakeryState): Routes {
  const pages = Object.entries(contents).map(([path, [title, content]]) => [
    path,
    (_: unknown, response: { setHeader(name: string, value: string): void; end(body: string): void }) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(pageOf(state(), title, content(state())));
    },
  ]);
  return {
    ...Object.fromEntries(pages),
    '/opening-hours.html': (_, response) => {
      if (state() !== 'before') response.statusCode = 404;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(pageOf(state(), 'Opening hours', '<p>Monday to Saturday, 6:30 to 18:00.</p>'));
    },
    '/logo.svg': { headers: { 'content-type': 'image/svg+xml' }, body: LOGO },
    '/search.svg': { headers: { 'content-type': 'image/svg+xml' }, body: MAGNIFIER },
    '/style.css': { headers: { 'content-type': 'text/css' }, body: STYLE },
    '/favicon.ico': { status: 404 },
  };
}

/** A shop without any fault, for the overview. */
export const FLORIST: Routes = {
  '/': plain(
    'Florist',
    '<p>Flowers for every day.</p><p><a href="/roses.html">Roses</a>, <a href="/tulips.html">tulips</a></p>',
  ),
  '/roses.html': plain('Roses', '<p>Red, white and yellow.</p>'),
  '/tulips.html': plain('Tulips', '<p>From March to May.</p>'),
  '/favicon.ico': { status: 404 },
};

function pageOf(state: BakeryState, title: string, content: string): string {
  const name = state === 'fixed' ? ' aria-label="Search"' : '';
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${title} – Miller’s Bakery</title>
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <header>
    <a href="/"><img src="/logo.svg" alt="Miller’s Bakery"></a>
    <nav>
${PLACES.map(([href, name]) => `      <a href="${href}">${name}</a>`).join('\n')}
    </nav>
    <button type="button" class="search"${name}></button>
  </header>
  <main>
    <h1>${title}</h1>
    ${content}
  </main>
  <footer>
    <a href="/contact.html">Contact</a> <a href="/jobs.html">Jobs</a>
    <a href="/imprint.html">Imprint</a>
    <small>Baked with love since 1931</small>
  </footer>
</body>
</html>
`;
}

function plain(title: string, content: string): string {
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`;
}

const goods = (...names: readonly (readonly [id: string, name: string])[]): string =>
  `<ul class="goods">\n${names.map(([id, name]) => `      <li id="${id}">${name}</li>`).join('\n')}\n    </ul>`;

const contents: Readonly<Record<string, readonly [string, (state: BakeryState) => string]>> = {
  '/': ['Fresh every morning', () => '<p>Bread, rolls and cakes, baked in our own oven since 1931.</p>'],
  '/bread.html': [
    'Our bread',
    () => `${goods(['rye', 'Rye, 1 kg'], ['oat', 'Oat and honey'], ['rye', 'Rye with seeds'], ['wheat', 'Country wheat'])}
    <p><a href="/rye.html">About our rye</a>, <a href="/sourdough.html">about sourdough</a></p>`,
  ],
  '/rye.html': [
    'Rye',
    (state) => (state === 'before' ? '<center>Two days of rest.</center>' : '<p>Two days of rest.</p>'),
  ],
  '/sourdough.html': ['Sourdough', () => '<p>Ours is older than the bakery.</p></div>'],
  '/cakes.html': [
    'Cakes',
    () => `${goods(['plum', 'Plum cake'], ['cheese', 'Cheesecake'], ['nut', 'Nut tart'])}
    <p>Also <a href="/weddings.html">for weddings</a>.</p>`,
  ],
  '/weddings.html': ['Wedding cakes', () => '<center>Order four weeks ahead.</center>'],
  '/shops.html': ['Shops', () => '<p>Market Street 4. <a href="/opening-hours.html">Opening hours</a></p>'],
  '/order.html': [
    'Order',
    (state) => `<form action="/order.html">
      <p>${state === 'before' ? '<label for="what">What</label>' : 'What'} <input id="what" name="what"></p>
      <p><button>Order</button></p>
    </form>`,
  ],
  '/story.html': ['Our story', () => '<p>It began with one oven.</p>'],
  '/contact.html': ['Contact', () => '<p>Call us between 7 and 17 h.</p>'],
  '/jobs.html': ['Jobs', () => '<p>We look for a baker.</p>'],
  '/imprint.html': ['Imprint', () => '<p>Miller’s Bakery, Market Street 4.</p>'],
};
