import { createHash } from 'node:crypto';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

/** A second implementation of docs/contract/fingerprints.md, written from this page alone. */

export interface SecondIdentity {
  kind(message: string): string;
  /** @param at of the last character of the occurrence */
  occurrence(kind: string, at: Position): string;
  /** @param kind of the message without numbers */
  cluster(kind: string, at: Position): string;
  withoutNumbers(message: string): string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}
type Element = DefaultTreeAdapterTypes.Element;

const SPACE = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const UNTIL_QUERY = ['src', 'srcset', 'data', 'poster', 'href', 'action', 'formaction', 'cite'];
const CHOSEN = ['radio', 'checkbox', 'submit', 'reset', 'button'];

/** Identifies the occurrences of a check of a document whose rules have no ids. */
export function createSecondIdentity(check: string, text: string, pageUrl = 'http://page.test/'): SecondIdentity {
  const ordinals: Record<string, number> = {};
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/);
  const document = parse(text, { sourceCodeLocationInfo: true });
  const ancestry = ({ line, column }: Position): Element[] =>
    ancestryAt(document.childNodes, lines.slice(0, line - 1).join('').length + column - 1);
  return {
    kind: (message) => sha256([check, plainText(message, 4_096)]).slice(0, 32),
    occurrence(kind, at) {
      const [element] = ancestry(at);
      const base = sha256([kind, ...(element === undefined ? [''] : [startTag(element), ownText(element)])]);
      const ordinal = ordinals[base] ?? 0;
      ordinals[base] = ordinal + 1;
      return sha256([base, ordinal]).slice(0, 32);
    },
    withoutNumbers: (message) =>
      plainText(message, 4_096).replace(/"([^"]*)"/g, (quoted, name: string) =>
        /^[A-Za-z_][A-Za-z0-9_.:-]*$/.test(name) && !/^h[1-6]$/.test(name) ? quoted.replace(/[0-9]+/g, '*') : quoted,
      ),
    cluster: (kind, at) => sha256([kind, templateTag(ancestry(at), pageUrl)]).slice(0, 16),
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

/** Returns the innermost element around an offset, its parent, and so on; nothing outside of all elements. */
function ancestryAt(nodes: readonly DefaultTreeAdapterTypes.ChildNode[], offset: number): Element[] {
  for (const node of nodes) {
    if (!defaultTreeAdapter.isElementNode(node)) continue;
    const content = node.tagName === 'template' && 'content' in node ? node.content.childNodes : node.childNodes;
    const inner = ancestryAt(content, offset);
    if (inner.length > 0) return [...inner, node];
    const location = node.sourceCodeLocation;
    if (location && location.startOffset <= offset && offset < location.endOffset) return [node];
  }
  return [];
}

function startTag(element: Element): string {
  const lines = element.attrs.map(({ name, value }) => {
    if (name === 'nonce' || name === 'integrity') return name;
    return `${name}=${attributeValue(element, name, value)}`;
  });
  return bounded([element.tagName, ...lines.sort()].join('\n'));
}

function bounded(tag: string): string {
  return tag.length > 4_096 ? sha256([tag]) : tag;
}

const PARTS_OF_PAGES = 'article aside dialog div dl fieldset footer form header main nav ol section table ul'.split(
  ' ',
);
const ROW_VALUES = (
  'for form headers list popovertarget usemap value title placeholder summary aria-label ' +
  'aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto aria-labelledby aria-owns'
).split(' ');

function isRowValue(tag: string, name: string): boolean {
  if (name === 'id') return !PARTS_OF_PAGES.includes(tag);
  if (name === 'name') return !['meta', 'param', 'slot'].includes(tag);
  return ROW_VALUES.includes(name);
}

function templateTag([element, ...ancestors]: readonly Element[], pageUrl: string): string {
  if (element === undefined) return '';
  const lines = element.attrs.flatMap(({ name, value }) => {
    if (name === 'aria-current') return [];
    const isTarget = ['href', 'action', 'formaction', 'cite'].includes(name);
    if (['nonce', 'integrity'].includes(name) || isTarget || isRowValue(element.tagName, name)) return [name];
    if (name === 'class') return [`class=${templateClasses(value)}`];
    if (UNTIL_QUERY.indexOf(name) < 0)
      return [`${name}=${attributeValue(element, name, value).replace(/[0-9]+/g, '*')}`];
    const file = URL.canParse(value, pageUrl) ? new URL(value, pageUrl).href : value;
    return [`${name}=${attributeValue(element, name, file)}`];
  });
  const tag = [element.tagName, ...lines.sort()];
  if (element.attrs.some(({ name }) => isRowValue(element.tagName, name))) {
    for (const { tagName, attrs } of ancestors.slice(0, 2)) {
      const classes = templateClasses(attrs.find(({ name }) => name === 'class')?.value ?? '');
      tag.push(`<${tagName} ${classes.replace(/[0-9]+/g, '*')}`);
    }
  }
  return bounded(tag.join('\n'));
}

function templateClasses(value: string): string {
  const states = [
    ...['active', 'current', 'selected', 'is-active', 'is-current'],
    ...['collapsed', 'open', 'show', 'is-open', 'is-expanded'],
  ];
  const classes = value.split(new RegExp(`${SPACE}+`)).filter((token) => token !== '' && !states.includes(token));
  return plainText([...new Set(classes)].sort().join(' '), 200);
}

const WITH_IDS = (
  'id name for form headers list popovertarget commandfor aria-activedescendant aria-controls aria-describedby ' +
  'aria-details aria-errormessage aria-flowto aria-labelledby aria-owns'
).split(' ');

function attributeValue({ tagName, attrs }: Element, name: string, whole: string): string {
  if (name === 'class') {
    const classes = whole.split(new RegExp(`${SPACE}+`)).filter((token) => token !== '');
    return plainText([...new Set(classes)].sort().join(' '), 200);
  }
  const type = attrs.find((attribute) => attribute.name === 'type')?.value.toLowerCase();
  if (name === 'value' && tagName === 'input' && !CHOSEN.includes(type ?? '')) return '';
  const value = plainText(UNTIL_QUERY.includes(name) ? (whole.split(/[?#]/)[0] ?? '') : whole, 200);
  if (WITH_IDS.includes(name)) {
    const [colons, quotes, underscores] = [/:r[0-9a-v]+:/g, /«r[0-9a-v]+»/g, /_r_[0-9a-v]+_/g];
    return value.replace(colons, '*').replace(quotes, '*').replace(underscores, '*');
  }
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
