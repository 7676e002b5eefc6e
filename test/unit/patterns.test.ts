import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

/**
 * Sites and clients send any text. A pattern that goes back in it takes the square of its length, or worse, and with it the
 * whole process. So of every regular expression of the service an automaton shows that its time is linear.
 */

/** Patterns that take longer, and why nobody can make use of it. */
const NOT_FOREIGN: Readonly<Record<string, string>> = {
  'src/config.ts: /\\/+$/': 'The operator sets it.',
  'src/checks/html/vnu-client.ts: /\\/+$/': 'The operator sets it.',
  'src/checks/html/vnu-process.ts: /^\\s*java\\.specification\\.version = (?:1\\.)?(\\d+)/m':
    "It is the machine's Java.",
  'src/checks/html/vnu-process.ts: /^\\s*java\\.home = (.+)$/m': "It is the machine's Java.",
  'src/api/openapi/docs-page.ts: /\\n+- /': 'It is the text of our own documentation.',
  'src/api/openapi/docs-parts.ts: /\\[([^\\]]+)\\]\\((https:[^)]+)\\)/g': 'It is the text of our own documentation.',
  'src/spider/decode-document.ts: /<!--.*?-->/gs': 'Of a document, 1,024 bytes are looked at (prescanBytes).',
  'src/spider/decode-document.ts: /charset\\s*=\\s*["\']?\\s*([^\\s"\'/>;]+)/i':
    'Of a document, 1,024 bytes are looked at (prescanBytes).',
};

/** Files that put regular expressions together, and why what they are looked for in has a bound. */
const PUT_TOGETHER: Readonly<Record<string, string>> = {
  'src/api/resources/selector-attribute.ts': 'A selector has at most 256 characters.',
  'src/api/resources/site-access-attributes.ts': 'The name of a header has been found to have at most 128 characters.',
  'src/browser/chromium-process.ts': 'It is the state of a process, as the kernel tells it.',
};

/** For one pattern on a machine with other work. The slowest takes 3 seconds of a quiet one. */
const ANALYSIS_TIMEOUT_MS = 120_000;

interface Pattern {
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

const patterns = new Map<string, Pattern>();
const putTogether = new Set<string>();
for (const file of globSync('src/**/*.ts').toSorted()) {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern: source, flags } = node.regex;
      const name = `${file}: /${source}/${flags}`;
      patterns.set(name, { name, source, flags });
    },
    NewExpression: ({ callee }) =>
      void (callee.type === 'Identifier' && callee.name === 'RegExp' && putTogether.add(file)),
    CallExpression: ({ callee }) =>
      void (callee.type === 'Identifier' && callee.name === 'RegExp' && putTogether.add(file)),
  }).visit(program);
}

/** Without a repetition that has no upper bound, each place of a text is looked at so often at most. */
function repeatsWithoutBound({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\}/.test(source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, ''));
}

async function complexityOf({ source, flags }: Pattern): Promise<string> {
  const result = await check(source, flags, { checker: 'automaton', timeout: ANALYSIS_TIMEOUT_MS });
  return result.status === 'unknown'
    ? `unknown, ${result.error.kind}`
    : `${result.status}, ${result.complexity.summary}`;
}

test('the analysis detects slow expressions', async () => {
  const slow = [/^\s*([^:]+?)\s*:/, /“[^”]*”/, /(a|a)*b/, / value .*must /];
  for (const { source, flags } of slow) assert.match(await complexityOf({ name: '', source, flags }), /^vulnerable/);
});

describe('every regular expression is linear', () => {
  const analysed = [...patterns.values()]
    .filter(({ name }) => !Object.hasOwn(NOT_FOREIGN, name))
    .filter(repeatsWithoutBound);
  assert.deepEqual([patterns.size > 200, analysed.length > 60], [true, true]);
  for (const pattern of analysed) {
    test(pattern.name, async () => {
      assert.match(await complexityOf(pattern), /^safe, /);
    });
  }
});

test('the exceptions are still there', () => {
  assert.deepEqual(
    Object.keys(NOT_FOREIGN).filter((name) => !patterns.has(name)),
    [],
  );
  assert.deepEqual([...putTogether], Object.keys(PUT_TOGETHER));
});
