import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { listElementsExpression } from '../../src/checks/a11y/elements-in-page.ts';
import { locateElements } from '../../src/page-source/locate-element.ts';
import { type PageElement, startTag } from '../../src/page-source/page-element.ts';
import { parseSource, type SourceTree } from '../../src/page-source/source-tree.ts';
import { patienceMs } from './patience.ts';

/** Measures how many elements of a page are found in its source, on a copy in which each start tag has a number. */

const MARK = 'data-n';
const ORIGIN = 'http://locations.test';
/** Scripts of these pages have ended long before. */
const restMs = 500;

export interface LocationsFound {
  /** Elements of the page that the server sent. */
  readonly sent: number;
  readonly found: number;
  /** Wrong locations, and elements that a script is wrongly said to have made. */
  readonly wrong: readonly string[];
  /** Elements that scripts made, and those that are said to be. */
  readonly made: number;
  readonly knownAsMade: number;
}

/** Shows a page of a folder with its scripts, and compares the location of each element with its number. */
export async function measureLocations(browser: Browser, directory: string, file: string): Promise<LocationsFound> {
  const text = await readFile(join(directory, file), 'utf8');
  const tree = parseSource(text);
  if (tree === null) throw new Error(`${file} has too many elements.`);
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  page.setDefaultTimeout(patienceMs);
  try {
    await servePage(page, directory, file, marked(text, tree));
    const url = new URL(file, `${ORIGIN}/`).href;
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(restMs);
    const { elements, marks } = await listMarked(page);
    // A page that leads to another one.
    if (page.url() !== url) return { sent: 0, found: 0, made: 0, knownAsMade: 0, wrong: [] };
    return compare(tree, elements, marks);
  } finally {
    await page.close();
  }
}

/** Numbers the start tags of a document. */
function marked(text: string, { elements }: SourceTree): string {
  const pieces: string[] = [];
  let done = 0;
  for (const [number, { start, name }] of elements.entries()) {
    // A formatting element that the parser repeats has one tag.
    if (start < done) continue;
    const end = start + 1 + name.length;
    pieces.push(text.slice(done, end), ` ${MARK}="${number}"`);
    done = end;
  }
  return pieces.join('') + text.slice(done);
}

async function servePage(page: Page, directory: string, file: string, body: string): Promise<void> {
  await page.route('**', async (route) => {
    const url = new URL(route.request().url());
    const path = decodeURIComponent(url.pathname).slice(1);
    if (url.origin !== ORIGIN) return route.abort();
    if (path === file) return route.fulfill({ body, contentType: 'text/html; charset=utf-8' });
    return route.fulfill({ path: join(directory, path) }).catch(() => route.abort());
  });
}

interface MarkedElements {
  readonly elements: readonly PageElement[];
  /** The number of each element; -1 for an element that a script made. */
  readonly marks: readonly number[];
}

async function listMarked(page: Page): Promise<MarkedElements> {
  const readTag = `(name, names, valueOf) =>
    (${startTag.toString()})(name, names.filter((a) => a !== '${MARK}'), valueOf)`;
  const json = await page.evaluate(`(() => {
    const all = [...document.querySelectorAll('*')];
    const list = (${listElementsExpression(readTag)})(all);
    const marks = [];
    for (const element of all) marks[list.add(element)] = Number(element.getAttribute('${MARK}') ?? -1);
    return JSON.stringify({ elements: list.elements, marks });
  })()`);
  return JSON.parse(String(json));
}

function compare(tree: SourceTree, elements: readonly PageElement[], marks: readonly number[]): LocationsFound {
  const located = locateElements(tree, elements);
  const wrong: string[] = [];
  // Scripts copy elements with their numbers, too.
  const copies = new Set(
    [...Map.groupBy(marks, (mark) => mark)].flatMap(([mark, same]) => (same.length > 1 ? mark : [])),
  );
  const counts = { sent: 0, found: 0, made: 0, knownAsMade: 0 };
  for (const [index, { element, isMadeByScript }] of located.entries()) {
    const expected = tree.elements[marks[index] ?? -1]?.start ?? -1;
    const start = element?.start ?? -1;
    const told = `${elements[index]?.tag.join(' ').slice(0, 120)} at ${start} instead of ${expected}`;
    if (start !== -1 && start !== expected) wrong.push(told);
    if (expected !== -1) {
      counts.sent += 1;
      if (start === expected) counts.found += 1;
      if (isMadeByScript && !copies.has(marks[index] ?? -1)) wrong.push(`${told}, made by a script`);
    } else if (start === -1 && element === null) {
      counts.made += 1;
      if (isMadeByScript) counts.knownAsMade += 1;
    }
  }
  return { ...counts, wrong };
}
