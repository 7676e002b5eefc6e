/**
 * Where in a document a stream of tags has come to, as far as links need it: in the head, in the title, in inert
 * template content, in SVG or MathML. It follows the HTML Standard's tree construction (13.2.6) in just these points.
 */
export interface DocumentPlace {
  /** A start tag, its attributes read. `closed` says that it has no content: self-closing where that counts. */
  open(tag: string, closed: boolean): void;
  close(tag: string): void;
  /** Text that is not white space alone. */
  text(): void;
  /** True until something comes that only a body can hold. */
  inHead(): boolean;
  /** True in the first `<title>` of the document. */
  inTitle(): boolean;
  /** True in a `<template>`, whose content is not part of the page. */
  isInert(): boolean;
  /** True in SVG or MathML, outside the elements that hold HTML there. */
  isForeign(): boolean;
}

const headElements = new Set(
  'html head title meta link base basefont bgsound script style template noscript noframes'.split(' '),
);
/** Elements with text of their own that the head may hold. */
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
/** Tags that end SVG and MathML wherever they stand (HTML Standard, 13.2.6.5). */
const breakoutElements = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Nested SVG, MathML and integration points that are followed. Deeper ones count as their parent. */
const foreignDepthMax = 64;

/** Whether a start tag in the body, outside SVG and MathML, leads somewhere. */
function placeChanges(tag: string): boolean {
  return tag === 'svg' || tag === 'math' || tag === 'template' || tag === 'title';
}

export function createDocumentPlace(): DocumentPlace {
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
      // Nearly every tag of a page: in the body, and none that changes the place.
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
