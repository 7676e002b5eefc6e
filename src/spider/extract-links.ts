import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { FetchedDocument } from '../domain/check.ts';
import { type HeaderPair, headerValue } from '../egress/response-head.ts';
import { decodeDocument, isXhtml } from './decode-document.ts';
import { createDocumentPlace } from './document-place.ts';
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
}

/**
 * Returns the links, the canonical URL and the title of an HTML or XHTML document, and whether it has an
 * `<input type=password>`.
 *
 * Links are `<a href>` (also in SVG) and `<area href>`, including those with `download`, because only the answer shows
 * whether it is a page or a file. Not links: the content of `<template>`, `xlink:href`, schemes other than http(s).
 * `meta robots` is ignored, because people validate their own sites. Queries are encoded as UTF-8; a browser would use the
 * document's encoding.
 *
 * The document is tokenized without building a tree, so the time is proportional to its length, however deep it is nested.
 */
export function extractLinks(document: FetchedDocument): PageLinks & { readonly hasPasswordField: boolean } {
  const text = decodeDocument(document.body, document.contentType);
  const xml = isXhtml(document.contentType);
  const raw = collectRawLinks(text, xml);
  const base = baseUrl(raw.base, document.url);
  return {
    links: resolvedLinks([{ base, hrefs: raw.hrefs }]),
    canonical: firstUrl(raw.canonicals, base) ?? firstUrl(linkTargets(document.headers, 'canonical'), document.url),
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
  };
  const place = createDocumentPlace();
  let tag = '';
  /** Whether the attributes of the current tag are needed. */
  let listening = false;
  let attribute = '';
  let value = '';
  let href: string | null = null;
  let rel: string | null = null;
  let type: string | null = null;

  function endTag(selfClosing: boolean): void {
    if (listening && tag === 'input') found.hasPasswordField ||= type?.toLowerCase() === 'password';
    else if (listening) keepTag(found, tag, href, rel, place.inHead());
    place.open(tag, selfClosing && (xmlMode || place.isForeign()));
    listening = false;
  }
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = text.slice(start, end).toLowerCase();
      listening = (isLinkTag(tag) || tag === 'input') && !place.isInert();
      href = null;
      rel = null;
      type = null;
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
    },
    onopentagend: () => endTag(false),
    onselfclosingtag: () => endTag(true),
    onclosetag: (start, end) => place.close(text.slice(start, end).toLowerCase()),
    ontext(start, end) {
      if (place.inTitle()) keepTitle(found, text.slice(start, end));
      else if (place.inHead() && !isBlank(text, start, end)) place.text();
    },
    ontextentity(codePoint) {
      if (place.inTitle()) keepTitle(found, String.fromCodePoint(codePoint));
      else place.text();
    },
    isInForeignContext: () => place.isForeign(),
    oncdata() {},
    oncomment() {},
    ondeclaration() {},
    onend() {},
    onprocessinginstruction() {},
  };
  const tokenizer = new Tokenizer({ xmlMode, decodeEntities: true }, callbacks);
  tokenizer.write(text);
  tokenizer.end();
  return found;
}

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

/** Splits an attribute with a set of tokens, in lower case. */
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

/** Resolves the first `<base href>` against the document's URL, and returns the latter if that gives no http(s) URL. */
function baseUrl(href: string | null, documentUrl: string): string {
  const url = href === null ? null : URL.parse(href, documentUrl);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : documentUrl;
}

/** The start of a link-value (RFC 8288, 3): its target, then its parameters up to the comma before the next one. */
const LINK_VALUE = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Returns the unresolved targets of the `Link` headers with a relation type, in order. */
function linkTargets(headers: readonly HeaderPair[], relation: string): string[] {
  const value = headerValue({ status: 200, headers }, 'link') ?? '';
  const targets: string[] = [];
  for (const [, target = '', parameters = ''] of value.matchAll(LINK_VALUE)) {
    const given = [...parameters.matchAll(PARAMETER)];
    const parameter = (name: string): string | undefined => {
      // The first of repeated parameters counts (RFC 8288, 3.3).
      const found = given.find(([, key = '']) => key.toLowerCase() === name);
      return found?.[2] ?? found?.[3];
    };
    const types = (parameter('rel') ?? '').toLowerCase().split(/\s+/);
    // A link with an anchor is about another resource.
    if (types.includes(relation) && parameter('anchor') === undefined) targets.push(target);
  }
  return targets;
}
