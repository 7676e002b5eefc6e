import type { ServerResponse } from 'node:http';
import { type Routes, startTestSite } from './test-site.ts';

/** A site with every special case of the numbers of reports. */

const IMAGE = '<img src="/image.png">';
export const FONT = '<font>Red</font>';
/** axe cannot decide about text on a gradient. */
const GRADIENT = '<p style="background-image: linear-gradient(#fff, #000); color: #777">Text</p>';
const PALE = '<p style="background: #fff; color: #ccc">Pale</p>';
const WARNING = '<script type="text/javascript"></script>';
export const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}<center>News</center>` +
  '<nav><a href="/">Home</a> <a href="/a">A</a> <a href="/b">B</a> <a href="/gone">Gone</a> <a href="/deleted">D</a></nav></main></body></html>';

export const BEFORE: Readonly<Record<string, string>> = {
  '/': page(`${IMAGE}${GRADIENT}${PALE}${WARNING}`),
  '/a': page(`${FONT}${IMAGE}`),
  '/b': page(`${FONT.repeat(3)}${WARNING}`),
  '/deleted': page(IMAGE.repeat(2)),
};
export const NOW: Readonly<Record<string, string>> = {
  ...BEFORE,
  '/': page(`${IMAGE}${GRADIENT}${PALE}${GRADIENT}${WARNING}`),
  '/a': page(`${FONT}${IMAGE.repeat(3)}<blink>x</blink>`),
  '/b': page(`${FONT}${WARNING}`),
};

type Pages = Readonly<Record<string, string>>;

/** A site whose pages change. */
export interface NumbersSite {
  readonly origin: string;
  /** Bodies by path; other pages return 404. */
  pages: Pages;
  /** Pages other than the first wait for it. */
  held: Promise<void> | undefined;
  stop(): Promise<void>;
}

export async function startNumbersSite(): Promise<NumbersSite> {
  const routes = Object.keys(BEFORE).map((path) => {
    const serve = async (_: unknown, response: ServerResponse): Promise<void> => {
      if (path !== '/') await shown.held;
      response.statusCode = shown.pages[path] === undefined ? 404 : 200;
      response.end(shown.pages[path] ?? '');
    };
    return [path, serve] as const;
  });
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const site = await startTestSite(Object.fromEntries(routes) as Routes, { headers: html });
  const shown: NumbersSite = { origin: site.origin, pages: BEFORE, held: undefined, stop: () => site.stop() };
  return shown;
}
