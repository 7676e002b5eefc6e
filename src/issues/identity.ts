import { hash } from 'node:crypto';
import { withoutNumbers } from '../../packages/client/causes.ts';
import type { CheckKind, FoundIssue, IssueIdentity } from '../domain/check.ts';
import {
  ownTextOf,
  plain,
  reportedElement,
  startTagOf,
  TemplateTags,
  tagWith,
  writtenValue,
} from '../page-source/markup.ts';
import { handedDown, isElement, oncePerTag, type SourceElement } from '../page-source/source-element.ts';

/**
 * The identity of issues across reports, so that the same occurrence is recognized after an unrelated edit of its page.
 * docs/contract/fingerprints.md defines it precisely enough for other programs to compute it.
 */

export const FINGERPRINT_BYTES = 16;
export const CLUSTER_BYTES = 8;
/** Bytes of a trace: first a part of the path, then a part of the base that equal occurrences share. */
export const TRACE_BYTES = 8;
export const TRACE_PATH_BYTES = 5;

/** An occurrence of an issue: its element in the source, or the markup that the engine reports. */
export interface IdentifiedOccurrence {
  /** Null if the engine does not name a position in the source, or the element is not in it. */
  readonly element: SourceElement | null;
  readonly markup: string;
  /** The element that has to be edited, such as the image in a link without a name. Absent or null: the same element. */
  readonly edited?: SourceElement | null;
  /** What has to be edited, if it is not the element, such as a pair of colors. Absent or null for most. */
  readonly cause?: string | null;
}

/** Characters of a message that count. Messages of links end with a URL. */
const MESSAGE_CHARACTERS_MAX = 4_096;

/**
 * UTF-16 code units up to which a start tag counts in full. For a longer tag, its hash counts, because each of 50,000 attributes
 * of an element can cause a different issue type, and the tag is hashed for each.
 */
const TAG_LENGTH_MAX = 4_096;

/**
 * Returns the identity of an issue type: independent of the page, and as far as possible of the engine's version. New versions
 * turn messages from errors into warnings or back, but the results of a rule with an id mean something different in each type.
 */
export function issueTypeFingerprint(
  kind: CheckKind,
  issue: Pick<FoundIssue, 'type' | 'subType' | 'ruleId' | 'message'>,
  isNamedByRule: boolean,
): string {
  const name = isNamedByRule
    ? [issue.type, issue.subType, issue.ruleId]
    : [plain(issue.message, MESSAGE_CHARACTERS_MAX)];
  return digest([kind, ...name])
    .subarray(0, FINGERPRINT_BYTES)
    .toString('hex');
}

/** Returns what the clusters of a message share: the issue type, regardless of numbers in names. */
export function clusterTypeFingerprint(kind: CheckKind, message: string): string {
  const issue = {
    type: 'error',
    subType: null,
    ruleId: null,
    message: withoutNumbers(plain(message, MESSAGE_CHARACTERS_MAX)),
  } as const;
  return issueTypeFingerprint(kind, issue, false);
}

/** Identifies the issues of one check of a page. */
export class PageIdentities {
  readonly #templateTags: TemplateTags;
  readonly #paths = new ElementPaths();
  /** The number of occurrences so far with each start tag and text. */
  readonly #seen = new Map<string, number>();
  /** Kept, because an element with long attributes can have many issues. */
  readonly #elements = new Map<SourceElement, MarkupIdentity>();

  /** @param pageUrl resolves the URLs of images, so that a logo has one cause on all pages */
  constructor(pageUrl: string) {
    this.#templateTags = new TemplateTags(pageUrl);
  }

  /**
   * Returns the identity of an issue and its occurrences. Each issue may be passed only once, because equal occurrences are
   * numbered.
   * @param issueType as `issueTypeFingerprint` returns it
   * @param occurrences in document order
   * @param clusterType the issue type for clusters, as `clusterTypeFingerprint` returns it
   */
  identify(
    issueType: string,
    occurrences: readonly IdentifiedOccurrence[],
    clusterType: string = issueType,
  ): IssueIdentity {
    const fingerprints = Buffer.alloc(occurrences.length * FINGERPRINT_BYTES);
    const clusters = Buffer.alloc(occurrences.length * CLUSTER_BYTES);
    const traces = Buffer.alloc(occurrences.length * TRACE_BYTES);
    for (const [index, occurrence] of occurrences.entries()) {
      const { element } = occurrence;
      const own = this.#markupOf(occurrence);
      const edited = occurrence.edited ?? element;
      const ofEdited = edited === element ? own : this.#markupOf({ element: edited, markup: '' });
      // Elements with the same surroundings keep their own paths, by which comparisons follow them.
      const isInside = edited !== null && element !== null && edited.start > element.start;
      const path = isInside ? ofEdited.path : own.path;
      const base = digest([issueType, own.tag, own.text]).toString('hex');
      const ordinal = this.#seen.get(base) ?? 0;
      this.#seen.set(base, ordinal + 1);
      digest([base, ordinal]).copy(fingerprints, index * FINGERPRINT_BYTES, 0, FINGERPRINT_BYTES);
      digest([clusterType, occurrence.cause ?? ofEdited.templateTag]).copy(
        clusters,
        index * CLUSTER_BYTES,
        0,
        CLUSTER_BYTES,
      );
      if (path !== null) {
        const trace = path.slice(0, 2 * TRACE_PATH_BYTES) + base.slice(0, 2 * (TRACE_BYTES - TRACE_PATH_BYTES));
        traces.write(trace, index * TRACE_BYTES, 'hex');
      }
    }
    return { kind: issueType, occurrences: fingerprints, clusters, traces };
  }

  #markupOf({ element, markup }: Pick<IdentifiedOccurrence, 'element' | 'markup'>): MarkupIdentity {
    const known = element === null ? undefined : this.#elements.get(element);
    if (known !== undefined) return known;
    const found = element ?? reportedElement(markup);
    if (found === null) return { tag: plain(markup), text: '', templateTag: plain(markup), path: null };
    const path = element === null ? null : this.#paths.of(element);
    const templateTag = boundedTag(this.#templateTags.of(found));
    const identity = { tag: boundedTag(startTagOf(found)), text: ownTextOf(found), templateTag, path };
    if (element !== null) this.#elements.set(element, identity);
    return identity;
  }
}

/** The identity of an element on a page, and of its start tag on a site. */
interface MarkupIdentity {
  readonly tag: string;
  readonly text: string;
  readonly templateTag: string;
  /** Null for an element that is not in the source. */
  readonly path: string | null;
}

function boundedTag(tag: string): string {
  return tag.length <= TAG_LENGTH_MAX ? tag : digest([tag]).toString('hex');
}

function digest(parts: readonly (string | number | null)[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** Attributes that are edited often: an edit does not make it a different element. */
const EDITED = new Set(['class', 'style']);

/**
 * Returns the paths of elements of a page, as docs/contract/fingerprints.md defines them: a path stays the same when the text or
 * the classes of an element are edited, and is unique on the page unless ids occur twice.
 */
export class ElementPaths {
  readonly #indexes = new Map<SourceElement, ReadonlyMap<SourceElement, number>>();
  readonly #idOf = oncePerTag((attributes) => attributes.find(({ name }) => name === 'id')?.value ?? null);
  /** The position of an element below the nearest ancestor with an id. */
  readonly #positionOf = handedDown('', (element, above) => {
    const id = this.#idOf(element);
    return digest(id === null ? [above, element.name, this.#indexOf(element)] : [id]).toString('hex');
  });

  /** Returns a path in hexadecimal. */
  of(element: SourceElement): string {
    if (isSingle(element)) return digest([element.name]).toString('hex');
    const tag = tagWith(element, (attribute) =>
      EDITED.has(attribute.name) ? [] : [`${attribute.name}=${writtenValue(attribute, element)}`],
    );
    return digest([this.#positionOf(element), tag]).toString('hex');
  }

  /** Returns the index of an element, from 0, among its parent's children with the same name. */
  #indexOf(element: SourceElement): number {
    const { parent } = element;
    if (parent === null) return 0;
    return this.#indexes.getOrInsertComputed(parent, () => indexesOf(parent)).get(element) ?? 0;
  }
}

/**
 * Whether a document has only one element of this name, so that its attributes do not count: `html`, and the `head` and `body` in
 * it.
 */
function isSingle({ parent }: SourceElement): boolean {
  return parent === null || parent.parent === null;
}

const SINGLE_PATHS = new Set(
  ['html', 'head', 'body'].map((name) => digest([name]).toString('hex', 0, TRACE_PATH_BYTES)),
);

/** Whether a trace, in hexadecimal, belongs to `html`, `head` or `body`. */
export function isTraceOfSingle(trace: string): boolean {
  return SINGLE_PATHS.has(trace.slice(0, 2 * TRACE_PATH_BYTES));
}

function indexesOf({ children }: SourceElement): ReadonlyMap<SourceElement, number> {
  const counts = new Map<string, number>();
  const indexes = new Map<SourceElement, number>();
  for (const child of children) {
    if (!isElement(child)) continue;
    const index = counts.get(child.name) ?? 0;
    counts.set(child.name, index + 1);
    indexes.set(child, index);
  }
  return indexes;
}
