import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { type Change, type Draft, type EditedDocument, type Range, replaced, unedited } from './draft.ts';

/** Seeded edits of real pages, as their authors and tools make them. */

type Element = DefaultTreeAdapterTypes.Element;

/** An element of the body with both of its tags in the source. */
interface Block {
  readonly name: string;
  readonly parent: string;
  readonly node: Element;
  readonly range: Range;
  readonly startTag: Range;
  readonly endTag: Range;
}

interface TextRun {
  readonly range: Range;
  readonly parentTag: Range;
}

/** What an edit may choose from. */
interface Page {
  readonly source: EditedDocument;
  readonly blocks: readonly Block[];
  readonly texts: readonly TextRun[];
  /** All start tags with attributes, and the ranges of these. */
  readonly tags: readonly { readonly attributes: readonly Range[] }[];
  /** Ranges in which white space counts, or that have another syntax. */
  readonly verbatim: readonly Range[];
  readonly comments: readonly Range[];
  /** After the start tag of the head; null without one. */
  readonly headStart: number | null;
}

type Random = () => number;
/** Returns null if the page has nothing to be edited in this way. */
type Edit = (page: Page, random: Random) => EditedDocument | null;

const MOVABLE = new Set([
  'p',
  'div',
  'section',
  'article',
  'aside',
  'ul',
  'ol',
  'table',
  'figure',
  'pre',
  'blockquote',
]);
const FLOW = new Set(['body', 'div', 'main', 'section', 'article', 'aside', 'blockquote', 'center', 'form']);
const VERBATIM = new Set(['script', 'style', 'pre', 'textarea', 'svg', 'template', 'noscript', 'iframe', 'title']);
/** White space before and after these does not count. */
const LINES = new Set([
  ...MOVABLE,
  'body',
  'main',
  'nav',
  'header',
  'footer',
  'form',
  'li',
  'tr',
  'td',
  'th',
  'tbody',
  'thead',
]);
for (const heading of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']) LINES.add(heading);
/** A block is at most this share of the page. */
const blockShareMax = 0.2;

/** What each edit does to a page, by name. */
export const EDITS: Readonly<Record<string, Edit>> = {
  'insert a paragraph': (page, random) => insertAt(page, random, '<p>A paragraph that was inserted.</p>\n'),
  'insert a section': (page, random) =>
    insertAt(page, random, '<section><h2>News</h2><p>A <b>new</b> block.</p><img src="new.png" alt="New"></section>\n'),
  'insert a navigation entry': insertEntry,
  'copy a block': copyBlock,
  'delete a block': deleteBlock,
  'move a block': moveBlock,
  'change a text around': changeText,
  'change the class of an ancestor': changeClass,
  'wrap a block': wrapBlock,
  'reorder attributes': reorderAttributes,
  'indent anew': (page, random) => spaceAnew(page, () => `\n${' '.repeat(Math.floor(random() * 9))}`),
  minify,
  'add a script at the top': addScript,
};

/** Edits of many elements, and so also of those with issues. */
export const REWRITES: Readonly<Record<string, Edit>> = {
  'change a tenth of the texts': ({ source, texts }, random) =>
    replaced(
      source,
      some(texts, random).map((text) => changedText(source, text)),
    ),
  'change a tenth of the classes': ({ source, blocks }, random) =>
    replaced(source, some(blocks, random).map(changedClass)),
};

/** Edits a document. Returns null if nothing of the page can be edited in this way. */
export function edit(name: string, source: EditedDocument, random: Random): EditedDocument | null {
  return (EDITS[name] ?? REWRITES[name])?.(readPage(source), random) ?? null;
}

/** Makes several edits one after the other, as between two releases of a site. */
export function release(text: string, random: Random, edits: number): EditedDocument {
  let source = unedited(text);
  for (let count = 0; count < edits; count += 1) {
    const name = pick(Object.keys(EDITS), random) ?? '';
    source = edit(name, source, random) ?? source;
  }
  return source;
}

function readPage(source: EditedDocument): Page {
  const blocks: Block[] = [];
  const texts: TextRun[] = [];
  const tags: Page['tags'][number][] = [];
  const verbatim: Range[] = [];
  const comments: Range[] = [];
  let headStart: number | null = null;
  const document = parse(source.text, { sourceCodeLocationInfo: true });
  const visit = (node: DefaultTreeAdapterTypes.ChildNode, isInBody: boolean): void => {
    const location = node.sourceCodeLocation;
    if (defaultTreeAdapter.isCommentNode(node) && location) comments.push([location.startOffset, location.endOffset]);
    if (!defaultTreeAdapter.isElementNode(node)) return;
    const { startTag, endTag, attrs } = node.sourceCodeLocation ?? {};
    if (node.tagName === 'head' && startTag) headStart = startTag.endOffset;
    if (startTag) tags.push({ attributes: Object.values(attrs ?? {}).map(rangeOf) });
    const isVerbatim = VERBATIM.has(node.tagName);
    if (isVerbatim && location) verbatim.push([location.startOffset, location.endOffset]);
    if (isInBody && startTag && !isVerbatim) {
      if (endTag && location) blocks.push(blockOf(node, rangeOf(location), rangeOf(startTag), rangeOf(endTag)));
      for (const child of node.childNodes) {
        const range = child.sourceCodeLocation;
        if (defaultTreeAdapter.isTextNode(child) && range && /\w{3}/.test(child.value)) {
          texts.push({ range: rangeOf(range), parentTag: rangeOf(startTag) });
        }
      }
    }
    if (isVerbatim) return;
    for (const child of node.childNodes) visit(child, isInBody || node.tagName === 'body');
  };
  for (const child of document.childNodes) visit(child, false);
  return { source, blocks, texts, tags, verbatim, comments, headStart };
}

function rangeOf({ startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number }): Range {
  return [startOffset, endOffset];
}

function blockOf(node: Element, range: Range, startTag: Range, endTag: Range): Block {
  const parent = node.parentNode !== null && 'tagName' in node.parentNode ? node.parentNode.tagName : '';
  return { name: node.tagName, parent, node, range, startTag, endTag };
}

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

function movable({ blocks, source }: Page): Block[] {
  const sizeMax = blockShareMax * source.text.length;
  return blocks.filter(
    ({ name, parent, range }) => MOVABLE.has(name) && FLOW.has(parent) && range[1] - range[0] <= sizeMax,
  );
}

function insertAt(page: Page, random: Random, html: string): EditedDocument | null {
  const at = pick(movable(page), random)?.range[0];
  return at === undefined ? null : replaced(page.source, [{ range: [at, at], write: (draft) => draft.add(html) }]);
}

function insertEntry(page: Page, random: Random): EditedDocument | null {
  const entry = pick(
    page.blocks.filter(({ name, node }) => name === 'li' && node.childNodes.some(isLink)),
    random,
  );
  if (entry === undefined) return null;
  const markup = page.source.text.slice(...entry.range);
  const copy = markup.replace(/href="[^"]*"/, 'href="inserted.html"').replace(/>\s*[^<>\s][^<>]*</, '>Inserted<');
  const at = entry.range[1];
  return replaced(page.source, [{ range: [at, at], write: (draft) => draft.add(`\n${copy}`) }]);
}

function isLink(node: DefaultTreeAdapterTypes.ChildNode): boolean {
  return defaultTreeAdapter.isElementNode(node) && node.tagName === 'a';
}

/** Copies a block for other content, as in a list of news. The copy comes first, so that equal occurrences are numbered anew. */
function copyBlock(page: Page, random: Random): EditedDocument | null {
  const block = pick(movable(page), random);
  if (block === undefined) return null;
  const copy = page.source.text
    .slice(...block.range)
    .replaceAll(/\sid="[^"]*"/g, '')
    .replaceAll(/(>[^<>\w]*)\w+([^<>]*<)/g, '$1Other$2');
  const at = block.range[0];
  return replaced(page.source, [{ range: [at, at], write: (draft) => draft.add(`${copy}\n`) }]);
}

function deleteBlock(page: Page, random: Random): EditedDocument | null {
  const block = pick(movable(page), random);
  return block === undefined ? null : replaced(page.source, [{ range: block.range, write() {} }]);
}

function moveBlock(page: Page, random: Random): EditedDocument | null {
  const blocks = movable(page);
  const block = pick(blocks, random);
  const others = blocks.filter(
    ({ range: [at] }) => block !== undefined && (at < block.range[0] || at >= block.range[1]),
  );
  const target = pick(others, random)?.range[0];
  if (block === undefined || target === undefined) return null;
  return replaced(page.source, [
    { range: block.range, write() {} },
    { range: [target, target], write: (draft) => draft.keep(...block.range) },
  ]);
}

function changeText({ source, texts }: Page, random: Random): EditedDocument | null {
  const text = pick(texts, random);
  return text === undefined ? null : replaced(source, [changedText(source, text)]);
}

function changedText(source: EditedDocument, { range, parentTag }: TextRun): Change {
  const changed = source.text.slice(...range).replace(/\w{3,}/, 'edited');
  return { range, write: (draft) => void draft.add(changed).touch(parentTag) };
}

function changeClass(page: Page, random: Random): EditedDocument | null {
  const block = pick(
    page.blocks.filter(({ node }) => node.childNodes.some((child) => defaultTreeAdapter.isElementNode(child))),
    random,
  );
  return block === undefined ? null : replaced(page.source, [changedClass(block)]);
}

function changedClass({ node, name, startTag }: Block): Change {
  const location = node.sourceCodeLocation?.attrs?.['class'];
  const nameEnd = startTag[0] + 1 + name.length;
  const range: Range = location === undefined ? [nameEnd, nameEnd] : rangeOf(location);
  const html = location === undefined ? ' class="redesigned"' : 'class="redesigned"';
  return { range, write: (draft) => void draft.add(html).touch(startTag) };
}

/** Edits about one in ten. */
function some<Item>(items: readonly Item[], random: Random): Item[] {
  return items.filter(() => random() < 0.1);
}

function wrapBlock(page: Page, random: Random): EditedDocument | null {
  const block = pick(movable(page), random);
  if (block === undefined) return null;
  const write = (draft: Draft) =>
    void draft
      .add('<div class="wrapper">')
      .keep(...block.range)
      .add('</div>');
  return replaced(page.source, [{ range: block.range, write }]);
}

function reorderAttributes({ source, tags }: Page): EditedDocument {
  const changes = tags.flatMap(({ attributes }) => {
    const inOrder = attributes.toSorted((a, b) => a[0] - b[0]);
    const reversed = inOrder.toReversed();
    return inOrder.map((range, index) => ({
      range,
      write: (draft: Draft) => void draft.keep(...(reversed[index] ?? range)),
    }));
  });
  return replaced(source, changes);
}

/** Replaces white space between tags; between blocks also where there was none. */
function spaceAnew({ source, verbatim, comments }: Page, space: () => string): EditedDocument {
  const changes: Change[] = [];
  for (const match of source.text.matchAll(/>(\s*)<(\/?)([a-z][a-z0-9]*)/gi)) {
    const [, between = '', , name = ''] = match;
    const isLine = LINES.has(name.toLowerCase());
    const from = match.index + 1;
    const range: Range = [from, from + between.length];
    if ((between === '' && !isLine) || isWithin(range, verbatim) || isWithin(range, comments)) continue;
    changes.push({ range, write: (draft) => draft.add(space()) });
  }
  return replaced(source, changes);
}

function isWithin([from, to]: Range, ranges: readonly Range[]): boolean {
  return ranges.some(([start, end]) => from > start && to < end);
}

/** Collapses white space, and removes comments, quotes and white space between blocks. */
function minify({ source, verbatim, comments, tags }: Page): EditedDocument {
  const changes: Change[] = [];
  for (const range of comments) changes.push({ range, write() {} });
  for (const { attributes } of tags) {
    for (const [from, to] of attributes) {
      const quoted = /^([^=\s]+=)"([a-z0-9_-]+)"$/i.exec(source.text.slice(from, to));
      // An unquoted value would include the slash.
      if (quoted === null || source.text[to] === '/') continue;
      const valueStart = from + (quoted[1] ?? '').length + 1;
      changes.push({
        range: [from, to],
        write: (draft) => void draft.keep(from, valueStart - 1).keep(valueStart, to - 1),
      });
    }
  }
  const attributes = tags.flatMap((tag) => tag.attributes);
  const taken = mergedRanges([...verbatim, ...comments, ...attributes]);
  for (const match of source.text.matchAll(/\s+/g)) {
    const range: Range = [match.index, match.index + match[0].length];
    if (overlaps(range, taken)) continue;
    const next = /^<\/?([a-z][a-z0-9]*)/i.exec(source.text.slice(range[1], range[1] + 12))?.[1]?.toLowerCase();
    const isBetween = source.text[range[0] - 1] === '>' && next !== undefined && LINES.has(next);
    changes.push({ range, write: (draft) => void draft.add(isBetween ? '' : ' ') });
  }
  return replaced(source, changes);
}

function mergedRanges(ranges: readonly Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** @param ranges sorted, without overlaps */
function overlaps([from, to]: Range, ranges: readonly Range[]): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.[0] ?? to) < to;
}

function addScript({ source, headStart }: Page): EditedDocument | null {
  if (headStart === null) return null;
  const write = (draft: Draft) => void draft.add('\n<script src="/new.js" async></script>');
  return replaced(source, [{ range: [headStart, headStart], write }]);
}
