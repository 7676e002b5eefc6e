import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { FetchedDocument } from '../domain/check.ts';
import { readsLikeSignOut, signOutTextMaxCharacters } from '../domain/session-urls.ts';
import { linkTargets } from '../egress/response-head.ts';
import { decodeDocument, isXhtml } from './decode-document.ts';
import { hrefsPerPageMax, linksPerPageMax, rawTitleMaxCharacters } from './limits.ts';
import { firstUrl, type PageLinks, resolvedLinks, tidyTitle } from './page-links.ts';

/** What the tokenizer finds, before URLs are resolved: a late `<base>` applies to all links. */
interface RawLinks {
  readonly hrefs: Set<string>;
  readonly canonicals: string[];
  hashRoutes: number;
  base: string | null;
  title: string | null;
  hasPasswordField: boolean;
  readonly signOuts: Set<string>;
}

/**
 * Returns the links, the canonical URL and the title of an HTML or XHTML document, and whether it has an `<input type=password>`.
 *
 * Links are `<a href>` (even in SVG) and `<area href>`, including those with `download`, because only the response shows whether
 * it is a page or a file. Not links: the content of `<template>`, `xlink:href`, schemes other than http(s). `meta robots` is
 * ignored, because people validate their own sites. Queries are encoded as UTF-8; a browser would use the document's encoding.
 *
 * The document is tokenized without building a tree, so the time is proportional to its length, regardless of the nesting depth.
 */
export function extractLinks(document: FetchedDocument): PageLinks & { readonly hasPasswordField: boolean } {
  const text = decodeDocument(document.body, document.contentType);
  const xml = isXhtml(document.contentType);
  const raw = collectRawLinks(text, xml);
  const base = baseUrl(raw.base, document.url);
  return {
    links: resolvedLinks([{ base, hrefs: raw.hrefs }]),
    signOuts: resolvedLinks([{ base, hrefs: raw.signOuts }]),
    canonical: firstUrl(raw.canonicals, base) ?? firstUrl(linkTargets(document, 'canonical'), document.url),
    title: tidyTitle(raw.title),
    hashRoutes: raw.hashRoutes,
    hasPasswordField: raw.hasPasswordField,
  };
}

function collectRawLinks(text: string, xmlMode: boolean): RawLinks {
  const found: RawLinks = {
    hrefs: new Set(),
    canonicals: [],
    hashRoutes: 0,
    base: null,
    title: null,
    hasPasswordField: false,
    signOuts: new Set(),
  };
  const link = createLinkReader(found);
  const context = createParseContext();
  let tag = '';
  /** Whether the attributes of the current tag are needed. */
  let listening = false;
  let attribute = '';
  let value = '';
  let href: string | null = null;
  let rel: string | null = null;
  let type: string | null = null;
  let label = '';

  function endTag(selfClosing: boolean): void {
    if (listening && tag === 'input') found.hasPasswordField ||= type?.toLowerCase() === 'password';
    else if (listening) keepTag(found, tag, href, rel, context.inHead());
    if (listening && tag === 'a') link.open(href, label);
    context.open(tag, selfClosing && (xmlMode || context.isForeign()));
    listening = false;
  }
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = text.slice(start, end).toLowerCase();
      listening = (isLinkTag(tag) || tag === 'input') && !context.isInert();
      href = null;
      rel = null;
      type = null;
      label = '';
    },
    onattribname(start, end) {
      if (!listening) return;
      attribute = text.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      if (listening) value += text.slice(start, end);
    },
    onattribentity(codePoint) {
      if (listening) value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (!listening) return;
      // The first of repeated attributes counts (HTML Standard, 13.2.5.33).
      if (attribute === 'href') href ??= value;
      else if (attribute === 'rel') rel ??= value;
      else if (attribute === 'type') type ??= value;
      else if (attribute === 'aria-label' || attribute === 'title') label ||= value;
    },
    onopentagend: () => endTag(false),
    onselfclosingtag: () => endTag(true),
    onclosetag(start, end) {
      const name = text.slice(start, end).toLowerCase();
      if (name === 'a') link.close();
      context.close(name);
    },
    ontext(start, end) {
      link.text(text, start, end);
      if (context.inTitle()) keepTitle(found, text.slice(start, end));
      else if (context.inHead() && !isBlank(text, start, end)) context.text();
    },
    ontextentity(codePoint) {
      const character = String.fromCodePoint(codePoint);
      link.text(character, 0, character.length);
      if (context.inTitle()) keepTitle(found, character);
      else context.text();
    },
    isInForeignContext: () => context.isForeign(),
    ...IGNORED,
  };
  const tokenizer = new Tokenizer({ xmlMode, decodeEntities: true }, callbacks);
  tokenizer.write(text);
  tokenizer.end();
  return found;
}

const ignore = (): void => undefined;
const IGNORED = {
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onprocessinginstruction: ignore,
};

function isLinkTag(tag: string): boolean {
  return tag === 'a' || tag === 'area' || tag === 'link' || tag === 'base';
}

function keepTag(found: RawLinks, tag: string, href: string | null, rel: string | null, inHead: boolean): void {
  if (href === null) return;
  if (tag === 'base') found.base ??= href;
  else if (tag === 'link') {
    const isCanonical = inHead && tokens(rel).includes('canonical');
    if (isCanonical && found.canonicals.length < linksPerPageMax) found.canonicals.push(href);
  } else if (found.hrefs.size < hrefsPerPageMax) {
    // Many links differ only in their fragment. Removing it before URLs are parsed saves time.
    const fragmentStart = href.indexOf('#');
    found.hrefs.add(fragmentStart === -1 ? href : href.slice(0, fragmentStart));
    if (href.startsWith('#/', fragmentStart) || href.startsWith('#!/', fragmentStart)) found.hashRoutes += 1;
  }
}

/** Reads the text of links, as far as it may show that a link signs out. */
function createLinkReader({ signOuts }: Pick<RawLinks, 'signOuts'>) {
  let open: string | null = null;
  let words = '';
  const close = (): void => {
    if (open !== null && signOuts.size < linksPerPageMax && readsLikeSignOut(words)) signOuts.add(open);
    open = null;
  };
  return {
    close,
    open(href: string | null, label: string): void {
      close();
      open = href?.split('#', 1)[0] ?? null;
      words = '';
      if (open !== null && readsLikeSignOut(label)) signOuts.add(open);
    },
    text(from: string, start: number, end: number): void {
      if (open === null || words.length > signOutTextMaxCharacters) return;
      words += from.slice(start, Math.min(end, start + signOutTextMaxCharacters + 1));
    },
  };
}

/** Splits an attribute value into its tokens, in lower case. */
function tokens(value: string | null): string[] {
  return (value ?? '').toLowerCase().split(/[\t\n\f\r ]+/);
}

function keepTitle(found: RawLinks, text: string): void {
  const title = found.title ?? '';
  if (title.length < rawTitleMaxCharacters) found.title = title + text.slice(0, rawTitleMaxCharacters);
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 32 && (code < 9 || code > 13 || code === 11)) return false;
  }
  return true;
}

/** Resolves the first `<base href>` against the document's URL, and returns the document's URL if that gives no http(s) URL. */
function baseUrl(href: string | null, documentUrl: string): string {
  const url = href === null ? null : URL.parse(href, documentUrl);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : documentUrl;
}

/**
 * Tracks the position in a document while its tags are read, as far as links require: head, title, inert template content,
 * SVG or MathML. Only these parts of the HTML Standard's tree construction (13.2.6) are implemented.
 */
interface ParseContext {
  /** A start tag. @param closed whether it has no content: a self-closing tag in XML, SVG or MathML */
  open(tag: string, closed: boolean): void;
  close(tag: string): void;
  /** Text that is more than white space. */
  text(): void;
  /** True until the first content that belongs in a body. */
  inHead(): boolean;
  /** True in the first `<title>` of the document. */
  inTitle(): boolean;
  /** True in a `<template>`, whose content is not part of the page. */
  isInert(): boolean;
  /** True in SVG or MathML, except in elements there that contain HTML. */
  isForeign(): boolean;
}

const headElements = new Set(
  'html head title meta link base basefont bgsound script style template noscript noframes'.split(' '),
);
/** Elements of the head that contain text. */
const rawTextElements = new Set(['script', 'style', 'noscript', 'noframes', 'title']);
/** Elements inside SVG and MathML whose content is HTML again (HTML and MathML text integration points). */
const integrationElements = new Set([
  'foreignobject',
  'desc',
  'title',
  'annotation-xml',
  'mi',
  'mo',
  'mn',
  'ms',
  'mtext',
]);
/** Tags that end SVG and MathML at any depth (HTML Standard, 13.2.6.5). */
const breakoutElements = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Nested SVG, MathML and integration points that are tracked. Deeper ones count as their parent. */
const foreignDepthMax = 64;

/** Whether a start tag in the body, outside SVG and MathML, changes the position. */
function placeChanges(tag: string): boolean {
  return tag === 'svg' || tag === 'math' || tag === 'template' || tag === 'title';
}

function createParseContext(): ParseContext {
  let inHead = true;
  let rawText = '';
  let titleSeen = false;
  let templates = 0;
  /** The open SVG and MathML roots and the integration points in them, the innermost last. */
  const foreign: string[] = [];

  const isForeign = () => foreign.length > 0 && !integrationElements.has(foreign.at(-1) ?? '');

  function openForeign(tag: string, closed: boolean): boolean {
    if (isForeign()) {
      if (breakoutElements.has(tag)) {
        foreign.length = 0;
        return false;
      }
      if (!closed && integrationElements.has(tag) && foreign.length < foreignDepthMax) foreign.push(tag);
      return true;
    }
    if (tag !== 'svg' && tag !== 'math') return false;
    if (!closed && foreign.length < foreignDepthMax) foreign.push(tag);
    return true;
  }

  return {
    open(tag, closed) {
      // A shortcut for nearly every tag of a page.
      if (!inHead && foreign.length === 0 && !placeChanges(tag)) return;
      // A <noscript> that is never closed must not keep the head open.
      if (tag === 'body') rawText = '';
      const head = inHead && rawText === '' && templates === 0;
      if (head && !headElements.has(tag)) inHead = false;
      if (openForeign(tag, closed) || closed) return;
      if (tag === 'template') templates += 1;
      else if (rawTextElements.has(tag) && rawText === '' && (head || tag === 'title')) rawText = tag;
    },
    close(tag) {
      if (tag === rawText) {
        if (tag === 'title' && templates === 0) titleSeen = true;
        rawText = '';
      } else if (foreign.includes(tag)) foreign.length = foreign.lastIndexOf(tag);
      else if (tag === 'template') templates = Math.max(0, templates - 1);
      else if (tag === 'head') inHead = false;
    },
    text() {
      if (rawText === '' && templates === 0) inHead = false;
    },
    inHead: () => inHead && templates === 0,
    inTitle: () => rawText === 'title' && !titleSeen && templates === 0,
    isInert: () => templates > 0,
    isForeign,
  };
}
