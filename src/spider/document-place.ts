/**
 * Tracks the position in a document while its tags are read, as far as links require: head, title, inert template content,
 * SVG or MathML. Only these parts of the HTML Standard's tree construction (13.2.6) are implemented.
 */
export interface DocumentPlace {
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
