import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';

/** A thousand mutings with reasons take about this much. */
export const sizeMaxBytes = 262_144;
/** The deepest values of a valid file are at level 5. */
const depthMax = 20;
/** Maximum number of nodes that aliases copy. */
const aliasesMax = 100;

/** A position in a file, from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

/** A problem in a file, worded as a sentence. */
export interface FileProblem extends FilePlace {
  readonly text: string;
}

/** The keys and indexes that lead to a value. */
export type ValuePath = readonly (string | number)[];

/** The content of a YAML file. */
export interface YamlContent {
  /** As `JSON.parse` would return it. Keys of maps that are not strings become strings. */
  readonly value: unknown;
  /** Returns the position of a value. If there is no such value, returns the position of the innermost value around it. */
  placeOf(path: ValuePath): FilePlace;
  /** Returns the position of the key of a value. */
  placeOfKey(path: ValuePath): FilePlace;
}

/** Parses YAML 1.2. If its syntax is invalid, returns the problems instead. */
export function readYaml(text: string): YamlContent | { readonly problems: readonly FileProblem[] } {
  const lines = new LineCounter();
  // Comparing all keys of a map with each other would take quadratic time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const placeAt = (offset: number): FilePlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const startOf = (node: unknown): FilePlace => placeAt((isNode(node) ? node.range?.[0] : undefined) ?? 0);
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    ...placeAt(pos[0]),
    text: SENTENCES.get(code) ?? (isTooDeep(message) ? TOO_DEEP : `${message.replace(/\.$/, '')}.`),
  }));
  const deep = syntax.find(({ text: problem }) => problem === TOO_DEEP);
  const problems = deep !== undefined ? [deep] : syntax.length > 0 ? syntax : structureProblems(document, startOf);
  if (problems.length > 0) return { problems };
  const copy = copied(document);
  if ('problem' in copy) return { problems: [{ line: 1, column: 1, text: copy.problem }] };
  return {
    value: copy.value,
    placeOf: (path) => {
      const { key, value: node } = nodeAt(document, path);
      // A list or map below its key is found by the key; an empty value has no position of its own.
      return startOf(isScalar(node) && node.value !== null ? node : key);
    },
    placeOfKey: (path) => startOf(nodeAt(document, path).key),
  };
}

/** Returns the problems with valid YAML that the file must not contain. */
function structureProblems(document: Document, startOf: (node: unknown) => FilePlace): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  visit(document, {
    Node(_key, node, path) {
      if (path.length <= depthMax) return undefined;
      problems.push({ ...startOf(node), text: TOO_DEEP });
      return visit.BREAK;
    },
    Map(_key, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = nameOf(key);
        if (seen.has(name)) problems.push({ ...startOf(key), text: `${name} is set twice.` });
        seen.add(name);
      }
    },
  });
  return problems;
}

function copied(document: Document): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: document.toJS({ maxAliasCount: aliasesMax }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const isBomb = error.message.startsWith('Excessive');
    return { problem: isBomb ? `Aliases copy more than ${aliasesMax} values.` : `${error.message}.` };
  }
}

/** Returns the value at the end of a path, or the last existing value along the path, with its key. */
function nodeAt(document: Document, path: ValuePath): { readonly key: unknown; readonly value: unknown } {
  let found: { readonly key: unknown; readonly value: unknown } = { key: document.contents, value: document.contents };
  for (const step of path) {
    const current = isAlias(found.value) ? found.value.resolve(document) : found.value;
    const item = isMap(current)
      ? current.items.find(({ key }) => nameOf(key) === String(step))
      : isSeq(current)
        ? current.items[Number(step)]
        : undefined;
    if (item === undefined) return found;
    found = isPair(item) ? { key: item.key, value: item.value } : { key: item, value: item };
  }
  return found;
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

const TOO_DEEP = 'This is nested too deeply.';

/** Sentences for problems whose own message is about the parser. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  [
    'MULTIPLE_DOCS',
    'The file contains several YAML documents. Delete this line and everything after it, or only the line ---.',
  ],
]);

function isTooDeep(message: string): boolean {
  return message.startsWith('Maximum call stack size');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'range' in value;
}
