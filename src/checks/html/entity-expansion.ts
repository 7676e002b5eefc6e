import { entityExpansionMaxCharacters } from './limits.ts';

/** What every expansion costs, however short it is. */
const charactersPerExpansion = 16;
/** Entities within entities that are followed. Nobody nests them deeper by hand. */
const depthMax = 100;
/** Characters in which the head of a declaration must have its end. */
const headMaxCharacters = 4_096;

const DECLARATION = '<!ENTITY';
/** The name of a general or a parameter entity, up to the quotation mark of its value or the word for an external one. */
const HEAD = /^\s+(%\s+)?([^\s"'%&;]+)\s+(["']|SYSTEM\s|PUBLIC\s)/;
const REFERENCE = /[&%]([^\s"'%&;#]{1,200});/g;

/**
 * Whether the entities that an XML document declares make it more than `entityExpansionMaxCharacters` longer. The validator's
 * parser expands whatever it is given: nine lines that each stand for ten of the one before would keep it busy for ever.
 *
 * Each character is passed once. Where it cannot be told (a declaration in a comment, a name that is declared twice), it is
 * the worst that counts; a circle counts as nothing, because the validator says so itself.
 */
export function expandsTooFar(body: Uint8Array): boolean {
  const text = asText(body);
  if (!text.includes(DECLARATION)) return false;
  const values = declaredValues(text);
  if (values === null) return true;
  const costs = new Map<string, number>();
  const open = new Set<string>();

  const costOfReferences = (source: string): number => {
    let cost = 0;
    for (const [, name = ''] of source.matchAll(REFERENCE)) {
      if (values.has(name)) cost += costOf(name) + charactersPerExpansion;
      if (cost > entityExpansionMaxCharacters) break;
    }
    return cost;
  };
  const costOf = (name: string): number => {
    const known = open.has(name) ? 0 : costs.get(name);
    if (known !== undefined) return known;
    if (open.size === depthMax) return Number.POSITIVE_INFINITY;
    open.add(name);
    const value = values.get(name) ?? '';
    const cost = value.length + costOfReferences(value);
    open.delete(name);
    costs.set(name, cost);
    return cost;
  };
  return costOfReferences(text) > entityExpansionMaxCharacters;
}

/** In whatever encoding: names and marks of declarations are ASCII, and other characters need only compare alike. */
function asText(body: Uint8Array): string {
  const [first, second] = body;
  if (first === 0xfe || first === 0) return new TextDecoder('utf-16be').decode(body);
  if (first === 0xff || second === 0) return new TextDecoder('utf-16le').decode(body);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
}

/**
 * The values of the entities of a document, all declarations of a name together. External ones are never fetched.
 * @returns null when a declaration is like none that is known, or might make others when it is expanded
 */
function declaredValues(text: string): ReadonlyMap<string, string> | null {
  const values = new Map<string, string>();
  for (let at = text.indexOf(DECLARATION); at !== -1; ) {
    const start = at + DECLARATION.length;
    const [head = '', parameter, name = '', mark = ''] = HEAD.exec(text.slice(start, start + headMaxCharacters)) ?? [];
    if (head === '') return null;
    const valueStart = start + head.length;
    let end = valueStart;
    if (mark === '"' || mark === "'") {
      end = text.indexOf(mark, valueStart);
      // What has no end is no declaration: the validator says so.
      if (end === -1) return values;
      const value = text.slice(valueStart, end);
      if (parameter !== undefined && /<!|&#|%/.test(value)) return null;
      values.set(name, (values.get(name) ?? '') + value);
    }
    at = text.indexOf(DECLARATION, end);
  }
  return values;
}
