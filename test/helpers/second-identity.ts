import { createHash } from 'node:crypto';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

/** A second implementation of docs/decisions/0053-identity-over-reports.md, written from that page alone. */

export interface SecondIdentity {
  kind(message: string): string;
  /** @param at of the last character of the place */
  place(kind: string, at: { readonly line: number; readonly column: number }): string;
}

type Element = DefaultTreeAdapterTypes.Element;

const SPACE = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const UNTIL_QUERY = ['src', 'srcset', 'data', 'poster', 'href', 'action', 'formaction', 'cite'];
const CHOSEN = ['radio', 'checkbox', 'submit', 'reset', 'button'];

/** Identifies the places of a check of a document whose rules have no ids. */
export function createSecondIdentity(check: string, text: string): SecondIdentity {
  const ordinals: Record<string, number> = {};
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/);
  const document = parse(text, { sourceCodeLocationInfo: true });
  return {
    kind: (message) => sha256([check, plainText(message, 4_096)]).slice(0, 32),
    place(kind, { line, column }) {
      const offset = lines.slice(0, line - 1).join('').length + column - 1;
      const element = innermost(document.childNodes, offset);
      const base = sha256([kind, ...(element === null ? [''] : [startTag(element), ownText(element)])]);
      const ordinal = ordinals[base] ?? 0;
      ordinals[base] = ordinal + 1;
      return sha256([base, ordinal]).slice(0, 32);
    },
  };
}

function sha256(array: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(array)).digest('hex');
}

function plainText(text: string, limit: number): string {
  const quotes = text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'");
  const spaces = quotes.replace(new RegExp(`${SPACE}+`, 'g'), ' ').replace(/^ | $/g, '');
  return [...spaces].slice(0, limit).join('');
}

function innermost(nodes: readonly DefaultTreeAdapterTypes.ChildNode[], offset: number): Element | null {
  for (const node of nodes) {
    if (!defaultTreeAdapter.isElementNode(node)) continue;
    const content = node.tagName === 'template' && 'content' in node ? node.content.childNodes : node.childNodes;
    const inner = innermost(content, offset);
    if (inner !== null) return inner;
    const place = node.sourceCodeLocation;
    if (place && place.startOffset <= offset && offset < place.endOffset) return node;
  }
  return null;
}

function startTag(element: Element): string {
  const lines = element.attrs.map(({ name, value }) => {
    if (name === 'nonce' || name === 'integrity') return name;
    return `${name}=${attributeValue(element, name, value)}`;
  });
  const tag = [element.tagName, ...lines.sort()].join('\n');
  return tag.length > 4_096 ? sha256([tag]) : tag;
}

function attributeValue({ tagName, attrs }: Element, name: string, whole: string): string {
  if (name === 'class') {
    const classes = whole.split(new RegExp(`${SPACE}+`)).filter((token) => token !== '');
    return plainText([...new Set(classes)].sort().join(' '), 200);
  }
  const type = attrs.find((attribute) => attribute.name === 'type')?.value.toLowerCase();
  if (name === 'value' && tagName === 'input' && !CHOSEN.includes(type ?? '')) return '';
  const value = plainText(UNTIL_QUERY.includes(name) ? (whole.split(/[?#]/)[0] ?? '') : whole, 200);
  const isFile = UNTIL_QUERY.indexOf(name) >= 0 && UNTIL_QUERY.indexOf(name) < 4;
  if (!isFile && !(name === 'href' && tagName === 'link')) return value;
  return value.replace(/[A-Za-z0-9]+/g, (run) =>
    run.length >= 8 && /[A-Za-z]/.test(run) && /[0-9]/.test(run) ? '*' : run,
  );
}

function ownText({ childNodes }: Element): string {
  const texts = childNodes.map((child) => (defaultTreeAdapter.isTextNode(child) ? child.value : ''));
  return [...texts.join('').replace(new RegExp(`${SPACE}|[0-9]`, 'g'), '')].slice(0, 40).join('');
}
