/** The browser's types that the functions below use: this file is compiled without the DOM library. */
interface PageNode {
  readonly shadowRoot?: PageNode | null;
}
type Method<Result, Argument> = (this: PageNode, argument: Argument) => Result;
declare const document: PageNode;
declare const XPathResult: { readonly BOOLEAN_TYPE: number };
declare const Document: {
  readonly prototype: {
    readonly querySelector: Method<PageNode | null, string>;
    readonly querySelectorAll: Method<Iterable<PageNode>, string>;
    readonly evaluate: (
      this: PageNode,
      expression: string,
      root: PageNode,
      resolver: null,
      type: number,
      result: null,
    ) => { readonly booleanValue: boolean };
  };
};
declare const DocumentFragment: typeof Document;
declare const Element: { readonly prototype: { readonly checkVisibility: (this: PageNode) => boolean } };
declare const Node: { readonly prototype: object };

/** Evaluates to whether a document contains scripts or attributes such as `onload`. */
export const HAS_SCRIPTS = `(${scriptsInPage.toString()})()`;

/** Runs in the page, like the other functions here, so it refers to nothing outside of it. */
function scriptsInPage(): boolean {
  const { querySelector, evaluate } = Document.prototype;
  const types = ':not([type]), [type=""], [type=module i], [type*=javascript i], [type*=ecmascript i]';
  if (querySelector.call(document, `script:is(${types})`) !== null) return true;
  const handlers = '//@*[starts-with(local-name(), "on")]';
  return evaluate.call(document, `boolean(${handlers})`, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;
}

/** How often a page is searched for the element. */
const ELEMENT_POLL_MS = 50;

/** Returns an expression that resolves with true once an element matches a selector, and with false after `limitMs`. */
export function untilElement(selector: string, limitMs: number): string {
  return `(${elementInPage.toString()})(${JSON.stringify(selector)}, ${limitMs}, ${ELEMENT_POLL_MS})`;
}

async function elementInPage(selector: string, limitMs: number, pollMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      if (Document.prototype.querySelector.call(document, selector) !== null) return true;
    } catch {
      // The browser does not support the selector.
      return false;
    }
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** A page with fewer visible characters (such as "Loading, please wait") and no `CONTENT` is nearly empty. */
const TEXT_CHARACTERS_MIN = 20;
/** Elements that make a page more than a shell. Without SVG, because spinners often are SVG. */
const CONTENT =
  'h1, h2, h3, h4, h5, h6, img, picture, canvas, video, audio, iframe, object, embed, input, button, select, textarea, a[href]';

/** Evaluates to whether the document is nearly empty: hardly any text, and no heading, image, frame, control or link. */
export const IS_NEARLY_EMPTY = `(${emptinessInPage.toString()})(${JSON.stringify(CONTENT)}, ${TEXT_CHARACTERS_MIN})`;

function emptinessInPage(content: string, charactersMin: number): boolean {
  const { checkVisibility } = Element.prototype;
  const getter = <Value>(prototype: object, name: string): ((this: PageNode) => Value) | undefined =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const shadowRootOf = getter<PageNode | null>(Element.prototype, 'shadowRoot');
  const childrenOf = getter<Iterable<PageNode>>(Node.prototype, 'childNodes');
  const typeOf = getter<number>(Node.prototype, 'nodeType');
  const textOf = getter<string>(Node.prototype, 'textContent');
  let characters = 0;

  /** Returns the length of an element's own text, without white space. */
  function lengthOf(element: PageNode): number {
    const texts = [...(childrenOf?.call(element) ?? [])].filter((node) => typeOf?.call(node) === 3);
    return texts.reduce((sum, text) => sum + (textOf?.call(text) ?? '').replace(/\s+/g, '').length, 0);
  }
  function showsContent(root: PageNode, select: typeof Document.prototype.querySelectorAll): boolean {
    for (const element of select.call(root, content)) if (checkVisibility.call(element)) return true;
    for (const element of select.call(root, '*')) {
      if (checkVisibility.call(element)) characters += lengthOf(element);
      if (characters >= charactersMin) return true;
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null && showsContent(shadowRoot, DocumentFragment.prototype.querySelectorAll)) return true;
    }
    return false;
  }
  return !showsContent(document, Document.prototype.querySelectorAll);
}
