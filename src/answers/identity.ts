import { hash } from 'node:crypto';
import type { CheckKind, FoundIssue, IssueIdentity } from '../domain/check.ts';
import { isElement, type SourceElement } from './source-element.ts';

/**
 * What identifies issues over reports, so that the same place is recognized after an unrelated edit of its page.
 * docs/decisions/0053-identity-over-reports.md defines it well enough for other programs to compute it.
 */

export const FINGERPRINT_BYTES = 16;
export const CLUSTER_BYTES = 8;

/** A place of an issue: its element in the source, or the markup that the engine reports. */
export interface IdentifiedPlace {
  /** Null if the engine does not name a place in the source, or the element is not in it. */
  readonly element: SourceElement | null;
  readonly markup: string;
}

/** Ancestors that count: up to this many, and none beyond the nearest one with an id. */
const ANCESTORS_MAX = 4;
/** Characters of a text or an attribute's value that count. */
const TEXT_CHARACTERS_MAX = 200;
/** The same for messages. Those of links end with a URL. */
const MESSAGE_CHARACTERS_MAX = 4_096;

/** Attributes whose values change with each request or build. Only their names count. */
const VOLATILE = new Set(['nonce', 'integrity', 'value']);
/** Attributes that lead elsewhere: places that differ only in them have the same cause. */
const TARGETS = new Set(['href', 'action', 'formaction', 'cite', 'aria-current']);
const URLS = new Set(['src', 'href', 'srcset', 'data', 'poster', 'action', 'formaction', 'cite']);
/** Classes that mark the current page in its navigation. */
const STATE_CLASSES = new Set(['active', 'current', 'selected', 'is-active', 'is-current']);

/** Returns what identifies a kind of issue: independent of the page, and of wordings that the engine's rules have ids for. */
export function kindFingerprint(
  kind: CheckKind,
  issue: Pick<FoundIssue, 'type' | 'subType' | 'ruleId' | 'message'>,
  isNamedByRule: boolean,
): string {
  const name = isNamedByRule ? issue.ruleId : plain(issue.message, MESSAGE_CHARACTERS_MAX);
  return digest([kind, issue.type, issue.subType, name]).subarray(0, FINGERPRINT_BYTES).toString('hex');
}

/**
 * Returns what identifies an issue and its places.
 * @param kindOfIssue as `kindFingerprint` returns it
 * @param seen how often each place has occurred on the page; shared by all issues of a page, and changed
 * @param pageUrl resolves the URLs of images, so that a logo has one cause on all pages
 */
export function identify(
  kindOfIssue: string,
  places: readonly IdentifiedPlace[],
  seen: Map<string, number>,
  pageUrl: string,
): IssueIdentity {
  const fingerprints = Buffer.alloc(places.length * FINGERPRINT_BYTES);
  const clusters = Buffer.alloc(places.length * CLUSTER_BYTES);
  for (const [index, { element, markup }] of places.entries()) {
    const place = element === null ? [plain(markup)] : placeOf(element);
    const base = digest([kindOfIssue, ...place]).toString('hex');
    const ordinal = seen.get(base) ?? 0;
    seen.set(base, ordinal + 1);
    digest([base, ordinal]).copy(fingerprints, index * FINGERPRINT_BYTES, 0, FINGERPRINT_BYTES);
    const cause = element === null ? plain(markup) : causeOf(element, pageUrl);
    digest([kindOfIssue, cause]).copy(clusters, index * CLUSTER_BYTES, 0, CLUSTER_BYTES);
  }
  return { kind: kindOfIssue, places: fingerprints, clusters };
}

/** Returns the element and its nearest ancestors up to one with an id: what an edit elsewhere on the page does not change. */
function placeOf(element: SourceElement): string[] {
  const parts = [startTag(element), plain(ownText(element))];
  let ancestor = element.parent;
  for (let count = 0; ancestor !== null && count < ANCESTORS_MAX; count += 1) {
    const id = attributeOf(ancestor, 'id');
    parts.push(id === null ? `${ancestor.name}.${attributeOf(ancestor, 'class') ?? ''}` : `${ancestor.name}#${id}`);
    if (id !== null) break;
    ancestor = ancestor.parent;
  }
  return parts;
}

/** Returns the text directly in an element, without that of its descendants, as far as it counts. */
function ownText({ children }: SourceElement): string {
  let text = '';
  for (const child of children) {
    if (!isElement(child)) text += child.text;
    if (text.length > 2 * TEXT_CHARACTERS_MAX) break;
  }
  return text;
}

function attributeOf({ attributes }: SourceElement, name: string): string | null {
  const attribute = attributes.find((candidate) => candidate.name === name);
  return attribute === undefined ? null : plain(attribute.value);
}

function startTag({ name: tag, attributes }: SourceElement): string {
  const parts = attributes.map(({ name, value }) => {
    if (VOLATILE.has(name)) return name;
    return `${name}=${plain(URLS.has(name) ? withoutQuery(value) : value)}`;
  });
  return [tag, ...parts.sort()].join('\n');
}

/** Returns the element's markup as it is the same on all pages of a template. */
function causeOf({ name: tag, attributes }: SourceElement, pageUrl: string): string {
  const parts = attributes.flatMap(({ name, value }) => {
    if (name === 'aria-current') return [];
    if (VOLATILE.has(name) || TARGETS.has(name)) return [name];
    if (name === 'class') return [`class=${classesOf(value)}`];
    return [`${name}=${plain(URLS.has(name) ? withoutQuery(resolved(value, pageUrl)) : value)}`];
  });
  return [tag, ...parts.sort()].join('\n');
}

function classesOf(value: string): string {
  const classes = plain(value).split(' ');
  return classes.filter((name) => !STATE_CLASSES.has(name)).join(' ');
}

function resolved(value: string, pageUrl: string): string {
  return URL.canParse(value, pageUrl) ? new URL(value, pageUrl).href : value;
}

/** Drops the query of a URL: it often holds a build number, against caches. */
function withoutQuery(value: string): string {
  const end = value.search(/[?#]/);
  return end === -1 ? value : value.slice(0, end);
}

/** Collapses white space, straightens quotes and shortens a text. */
function plain(text: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  const start = text
    .slice(0, 2 * charactersMax)
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'");
  return start.replaceAll(/\s+/g, ' ').trim().slice(0, charactersMax);
}

function digest(parts: readonly (string | number | null)[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}
