import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { occurrenceLink } from '../../web/src/lib/occurrence-link.ts';
import { pageAround, positionOf } from '../../web/src/lib/position.ts';
import { ticketOf } from '../../web/src/lib/ticket.ts';
import { closestUrls } from '../../web/src/lib/url-match.ts';
import { statusWords } from '../../web/src/screens/report-changes/status-words.ts';

const TICKET = {
  title: 'Images must have alternative text',
  severity: 'critical',
  extent: '40 elements on 34 pages of bakery.example',
  effect: 'People who use a screen reader miss what the image shows.',
  remedy: '',
  url: 'https://sitewarden.example/reports/1/accessibility/57',
  more: 1,
  occurrences: [
    {
      markup: '<img src="/logo.png">',
      colors: '',
      selector: 'header > img',
      url: 'https://bakery.example/',
      line: 12,
      how_many: 34,
    },
  ],
};

describe('a ticket', () => {
  test('names the issue, its occurrences and its screen', () => {
    assert.equal(
      ticketOf(TICKET),
      [
        '## Images must have alternative text',
        '**critical**, 40 elements on 34 pages of bakery.example',
        'People who use a screen reader miss what the image shows.',
        '34 times, first at line 12 of <https://bakery.example/>, `header > img`',
        '```html\n<img src="/logo.png">\n```',
        '…and 1 more.',
        '<https://sitewarden.example/reports/1/accessibility/57>',
        '',
      ].join('\n\n'),
    );
  });

  test('names the colors and the rules that set them', () => {
    const colors = '#777777 on #ffffff: color: #777777 set by .muted in style.css:12:1';
    const text = ticketOf({ ...TICKET, occurrences: TICKET.occurrences.map((each) => ({ ...each, colors })) });
    assert.ok(text.includes(`\n\n\`${colors}\`\n\n\`\`\`html\n`), text);
  });

  test('keeps what a site sent inside code', () => {
    const [occurrence = TICKET.occurrences[0]] = TICKET.occurrences;
    const hostile = { ...occurrence, selector: '[title="`x`"]', markup: '```\n# A heading of the site\n````' } as const;
    const text = ticketOf({
      ...TICKET,
      title: 'A <b> & *stars*',
      occurrences: [{ line: 1, how_many: 1, url: '', colors: '', ...hostile }],
    });
    assert.ok(text.includes('`````html\n```\n# A heading of the site\n````\n`````'), text);
    assert.ok(text.includes('`` [title="`x`"] ``'), text);
    assert.ok(text.startsWith('## A \\<b\\> & \\*stars\\*'), text);
  });
});

test('an occurrence is linked by the issue of its page and its position from 1, and whether it is muted', () => {
  assert.deepEqual(occurrenceLink('/reports/1', 'a11y', { web_page_id: '16', occurrence: '101-1' }, 'true'), {
    to: '/reports/1/pages/16',
    search: { issue: 'a11y-101', occurrence: '2', muted: 'true' },
  });
});

test('the requested URL comes first', () => {
  const urls = ['/en/menu/drinks', '/en/menu', '/menu?x=1', '/menu'].map((path) => ({
    url: `https://a.example${path}`,
  }));
  const found = closestUrls(urls, '/Menu#top').map(({ url }) => url.slice('https://a.example'.length));
  assert.deepEqual(found, ['/menu', '/en/menu', '/menu?x=1', '/en/menu/drinks']);
});

test('each item of a long list has both its neighbors', () => {
  const ids = Array.from({ length: 1_000 }, (_, row) => `${row + 1}`);
  for (const [row, id] of ids.entries()) {
    const page = pageAround(row + 1);
    const first = (page['page[number]'] - 1) * page['page[size]'];
    const items = ids.slice(first, first + page['page[size]']).map((each) => ({ id: each }));
    const [previous, next] = [ids[row - 1] ?? null, ids[row + 1] ?? null];
    assert.deepEqual(positionOf({ items, total: ids.length }, page, id), {
      ...{ number: row + 1, total: ids.length },
      ...{ previous, next },
    });
    assert.ok(page['page[size]'] <= 100);
  }
});

test('a mark that its journey did not reach has no status', () => {
  const url = 'http://site.test/#journey/Checkout/Cart';
  const page = { url, change: 'broken', http_status: null, http_status_before: 200 } as const;
  assert.equal(statusWords(page), '200 → not reached');
  assert.equal(statusWords({ ...page, change: 'added', http_status: 404 }), '404');
  const recovered = { ...page, change: 'recovered', http_status: 200, http_status_before: null } as const;
  assert.equal(statusWords(recovered), 'not reached → 200');
  assert.equal(statusWords({ ...recovered, url: 'http://site.test/' }), 'no response → 200');
});
