import { type HeaderPair, headerValue } from '../egress/response-head.ts';

/** The start of a link-value (RFC 8288, 3): its target, then its parameters up to the comma before the next one. */
const LINK_VALUE = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** The targets of a page's `Link` headers that have the relation type, in order, as they stand there. */
export function linkTargets(headers: readonly HeaderPair[], relation: string): string[] {
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
    // A link with an anchor is said of another resource.
    if (types.includes(relation) && parameter('anchor') === undefined) targets.push(target);
  }
  return targets;
}
