/** Serves a site of linked pages from its own process, so that the measured code does not delay it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [pages, kilobytes] = process.argv.slice(2).map(Number) as [number, number];
/** Links of each page: a menu that all pages share, two pages that no other page links to, and some more. */
const MENU_LINKS = 20;
const MORE_LINKS = 20;
const filling = '<p>A paragraph with <em>some</em> markup, as pages have between their links.</p>';

const server = createServer(({ url = '/' }, response) => {
  const number = url === '/' ? 1 : Number(/^\/page-(\d+)$/.exec(url)?.[1] ?? 0);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (number < 1 || number > pages) response.writeHead(404).end('Not found');
  else response.end(pageOf(number));
});

function pageOf(number: number): string {
  const numbers = [2 * number, 2 * number + 1];
  for (let nth = 1; nth <= MENU_LINKS; nth += 1) numbers.push(nth);
  for (let nth = 1; nth <= MORE_LINKS; nth += 1) numbers.push((number * 7_919 + nth * 104_729) % pages);
  const links = numbers
    .filter((target) => target >= 1 && target <= pages)
    .map((target) => `<li><a href="${target === 1 ? '/' : `/page-${target}`}">Page ${target}</a></li>`);
  const head = `<!DOCTYPE html><html lang="en"><title>Page ${number}</title><ul>${links.join('')}</ul>`;
  const length = Math.max(0, kilobytes * 1_000 - head.length);
  return `${head}${filling.repeat(Math.ceil(length / filling.length))}</html>`;
}

server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('disconnect', () => process.exit());
