import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { sitemapMaxBytes } from '../../src/spider/limits.ts';
import { isSitemapCalledHtml, readSitemap } from '../../src/spider/sitemap.ts';

const ORIGIN = 'https://site.example';

async function read(
  body: string | Uint8Array,
  contentType = 'application/xml',
  urlsMax = 100_000,
  counts = (_: string) => true,
) {
  const limit = { urlsMax, counts };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const sitemap = await readSitemap({ url: `${ORIGIN}/maps/sitemap.xml`, contentType, body: bytes }, limit);
  if (sitemap === null) return null;
  const read = [sitemap.lists, ...sitemap.urls.map((url) => url.replace(ORIGIN, ''))];
  return sitemap.problem === null ? read : [...read, sentenceOf(sitemap.problem)];
}

const urlset = (...locations: string[]): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations
    .map((location) => `<url><loc>${location}</loc><lastmod>2026-01-01</lastmod></url>`)
    .join('\n')}</urlset>`;

test('a sitemap lists its locations in order, each once, trimmed and decoded', async () => {
  const sitemap = urlset(
    `\n ${ORIGIN}/b?x=1&amp;y=2 \n`,
    `<![CDATA[${ORIGIN}/a&b]]>`,
    `${ORIGIN}/b?x=1&amp;y=2#top`,
    '/relative',
    '',
    'mailto:me@site.example',
    `${ORIGIN}/&#252;`,
  );
  assert.deepEqual(await read(sitemap), ['pages', '/b?x=1&y=2', '/a&b', '/relative', '/%C3%BC']);
});

test('prefixes, comments, a doctype and foreign elements make no difference', async () => {
  const sitemap = `<!-- made by hand -->\n<!DOCTYPE urlset><sm:urlset xmlns:sm="x" xmlns:image="y"><sm:url>
    <sm:loc>${ORIGIN}/page</sm:loc><image:image><image:loc>${ORIGIN}/image.png</image:loc></image:image>
    <image:loc>${ORIGIN}/astray.png</image:loc><loc>${ORIGIN}/of-no-vocabulary</loc>
    <xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de"/></sm:url></sm:urlset>`;
  assert.deepEqual(await read(sitemap), ['pages', '/page']);
});

test('an index lists sitemaps', async () => {
  const index = `<sitemapindex><sitemap><loc>${ORIGIN}/1.xml</loc></sitemap><sitemap><loc>${ORIGIN}/2.xml.gz</loc></sitemap></sitemapindex>`;
  assert.deepEqual(await read(index, 'text/xml'), ['sitemaps', '/1.xml', '/2.xml.gz']);
});

test('feeds list their entries', async () => {
  const rss = `<rss version="2.0" xmlns:atom="a"><channel><title>News</title><link>${ORIGIN}/home</link>
    <atom:link rel="self" href="${ORIGIN}/feed"/><image><url>${ORIGIN}/logo.png</url><link>${ORIGIN}/logo</link></image>
    <item><title>One</title><link>${ORIGIN}/one</link><enclosure url="${ORIGIN}/one.mp3"/></item>
    <item><atom:link href="${ORIGIN}/self">x</atom:link><link>${ORIGIN}/two</link></item></channel></rss>`;
  assert.deepEqual(await read(rss, 'application/rss+xml'), ['pages', '/one', '/two']);
  const rdf = `<rdf:RDF xmlns:rdf="r"><channel><link>${ORIGIN}/</link></channel><item rdf:about="x"><link>${ORIGIN}/item</link></item></rdf:RDF>`;
  assert.deepEqual(await read(rdf), ['pages', '/item']);
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="${ORIGIN}/home"/>
    <entry><link rel="edit" href="${ORIGIN}/edit"/><link type="application/pdf" href="${ORIGIN}/pdf"/>
      <link rel="alternate" type="text/html" href="${ORIGIN}/first"/><link href="${ORIGIN}/second-form"/></entry>
    <entry><link href="/next"/></entry></feed>`;
  assert.deepEqual(await read(atom, 'application/atom+xml'), ['pages', '/first', '/next']);
});

test('a text lists one URL per line', async () => {
  const text = `${ORIGIN}/a\r\n\r\n  ${ORIGIN}/b  \nnot a URL\n/relative\n${ORIGIN}/${'x'.repeat(3_000)}\n${ORIGIN}/last`;
  assert.deepEqual(await read(`\uFEFF${text}`, 'text/plain'), ['pages', '/a', '/b', '/last']);
});

test('compression and encodings are detected from the bytes, regardless of the type', async () => {
  const sitemap = urlset(`${ORIGIN}/ü`);
  const expected = ['pages', '/%C3%BC'];
  assert.deepEqual(await read(gzipSync(sitemap), 'application/octet-stream'), expected);
  assert.deepEqual(await read(`\uFEFF${sitemap}`, 'text/plain'), expected);
  assert.deepEqual(await read(Buffer.from(`\uFEFF${sitemap}`, 'utf16le')), expected);
  const latin1 = sitemap.replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"');
  assert.deepEqual(await read(Buffer.from(latin1, 'latin1')), expected);
  // A document that is readable this way is not UTF-16, regardless of its declaration; some libraries write that.
  const utf16 = sitemap.replace('version="1.0"', 'version="1.0" encoding="utf-16"');
  assert.deepEqual(await read(utf16), expected);
  assert.deepEqual(await read(Buffer.from(utf16, 'utf16le')), expected);
  assert.deepEqual(await read(Buffer.from(utf16, 'utf16le').swap16()), expected);
  for (const called of [sitemap, gzipSync(sitemap), `${ORIGIN}/a\n`]) {
    assert.equal(isSitemapCalledHtml(Buffer.from(called), 'text/html'), true);
  }
  assert.equal(isSitemapCalledHtml(Buffer.from(`${ORIGIN}/a\n<p>A page`), 'text/html'), false);
});

test('other documents are not taken for sitemaps', async () => {
  for (const body of ['', 'Hello', '<!DOCTYPE html><title>x</title>', '<?xml version="1.0"?><html xmlns="x"/>', '{}']) {
    assert.equal(await read(body), null, body);
    assert.equal(isSitemapCalledHtml(Buffer.from(body), 'text/html'), false, body);
  }
  assert.equal(await read('<svg xmlns="s"><a><loc>https://site.example/x</loc></a></svg>'), null);
});

test('a broken sitemap gives what can be read, and says where it breaks', async () => {
  const whole = urlset(`${ORIGIN}/a?x=1&y=2`, `${ORIGIN}/b`);
  const a = '/a?x=1&y=2';
  assert.deepEqual(await read(whole), ['pages', a, '/b']);
  // If it is truncated anywhere, the URLs before are read, and never a truncated one.
  for (let length = whole.indexOf('<urlset ') + 8; length < whole.length; length += 1) {
    const start = whole.slice(0, length);
    const urls = [a, '/b'].slice(0, start.split('</loc>').length - 1);
    const line = start.split('\n').length;
    const problem = `its XML is invalid on line ${line}, after ${urls.length} ${urls.length === 1 ? 'URL' : 'URLs'}`;
    assert.deepEqual(await read(start), ['pages', ...urls, problem], start);
  }
  const entry = (location: string) => `<url>\n<loc>${location}</loc></url>\n`;
  assert.deepEqual(await read(`<urlset>${entry('/1')}<url>\n<loc>/2</url>\n${entry('/3')}</urlset>`), [
    ...['pages', '/1', '/3'],
    'its XML is invalid on line 4, after 1 URL',
  ]);
  const long = Array.from({ length: 10_000 }, (_, index) => entry(`/${index}`)).join('');
  assert.equal((await read(`<urlset>${long}`))?.at(-1), 'its XML is invalid on line 20001, after 10,000 URLs');
});

test('broken compression, bombs, huge files and deep nesting give what can be read', async () => {
  const abyss = `<urlset><url><loc>/a</loc></url>\n${'<x>'.repeat(50_000)}`;
  assert.deepEqual(await read(abyss), ['pages', '/a', 'its elements are nested too deeply on line 2, after 1 URL']);
  const packed = gzipSync(`${ORIGIN}/a\n${ORIGIN}/b\n`);
  const broken = (urls: string[]) => [...urls, `its gzip data is invalid, after ${urls.length - 1} URLs`];
  assert.deepEqual(await read(packed.subarray(0, packed.length - 4)), broken(['pages', '/a', '/b']));
  assert.deepEqual(await read(packed.subarray(0, 10)), broken(['pages']));
  assert.deepEqual(
    await read(Buffer.from('1f8bnonsense', 'latin1').fill(0x1f, 0, 1).fill(0x8b, 1, 2)),
    broken(['pages']),
  );
  const giant = Buffer.concat([Buffer.from(urlset('/a').slice(0, -9)), Buffer.alloc(sitemapMaxBytes, ' ')]);
  assert.deepEqual(await read(gzipSync(giant, { level: 1 })), ['pages', '/a', 'it is larger than 50 MiB, after 1 URL']);
});

test('no more URLs are read than requested', async () => {
  const locations = Array.from({ length: 10_000 }, (_, index) => `${ORIGIN}/${index}`);
  assert.equal((await read(urlset(...locations)))?.length, 10_001);
  assert.deepEqual(await read(urlset(...locations), 'text/xml', 2), ['pages', '/0', '/1']);
  // URLs that cannot become pages do not displace those that can.
  const counts = (url: string) => Number(url.at(-1)) >= 7;
  assert.deepEqual(await read(urlset(...locations), 'text/xml', 2, counts), ['pages', '/0', '/1', '/7', '/8']);
});
