import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';
import recheck from 'recheck/package.json' with { type: 'json' };

/**
 * Sites and clients send any text. A backtracking pattern takes quadratic time or worse, and blocks the
 * whole process. So an automaton proves that every regular expression of the service takes linear time.
 */

/** Patterns that take longer, and why that cannot be exploited. */
const NOT_FOREIGN: Readonly<Record<string, string>> = {
  'src/config.ts: /\\/+$/': 'The operator sets it.',
  'src/checks/html/vnu-client.ts: /\\/+$/': 'The operator sets it.',
  'src/checks/html/vnu-process.ts: /^\\s*java\\.specification\\.version = (?:1\\.)?(\\d+)/m':
    "It is the machine's Java.",
  'src/checks/html/vnu-process.ts: /^\\s*java\\.home = (.+)$/m': "It is the machine's Java.",
  'src/checks/html/vnu-server.ts: /<section.*<\\/section>/s': 'It is a page of our own.',
  'src/api/openapi/docs-page.ts: /\\n+- /': 'It is the text of our own documentation.',
  'src/api/openapi/docs-parts.ts: /\\[([^\\]]+)\\]\\((https:[^)]+)\\)/g': 'It is the text of our own documentation.',
  'src/store/migration-statements.ts: /--[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/|\'(?:[^\']|\'\')*\'|"(?:[^"]|"")*"|(\\$\\w*\\$)[\\s\\S]*?\\1|;/g':
    'It is the text of our own migrations.',
  'src/spider/decode-document.ts: /<!--.*?-->/gs': 'Of a document, 1,024 bytes are looked at (prescanBytes).',
  'src/spider/decode-document.ts: /charset\\s*=\\s*["\']?\\s*([^\\s"\'/>;]+)/i':
    'Of a document, 1,024 bytes are looked at (prescanBytes).',
};

/** Files that build regular expressions, and why the searched texts are bounded. */
const PUT_TOGETHER: Readonly<Record<string, string>> = {
  'src/browser/chromium-process.ts': 'It is the state of a process, as the kernel tells it.',
  'src/checks/a11y/consent-in-page.ts': 'Names have at most 200 characters, and texts of banners 10,000.',
  'src/commands/baseline.ts': 'Whoever runs the command gives the text.',
  'src/domain/redaction.ts': 'It looks for literals of one length, and goes on one character after each.',
  'src/reports/definition/css-selector.ts': 'A selector has at most 256 characters.',
  'src/reports/definition/site-access-attributes.ts':
    'The name of a header has been found to have at most 128 characters.',
  'src/store/migration-statements.ts': 'It is the text of our own migrations.',
};

/** Time for one pattern on a busy machine. The slowest takes 3 seconds on an idle one. */
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

/** Without unbounded repetitions, each position of a text is examined at most this often. */
function repeatsWithoutBound({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\}/.test(source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, ''));
}

/**
 * Patterns that a version of the analysis has found to be safe, committed: an analysis takes up to three seconds, and its result
 * depends on nothing else. The test adds new patterns to the file and removes those that are gone.
 */
const safeFile = 'test/fixtures/safe-patterns.json';
const found: { readonly version: string; readonly safe: readonly string[] } = JSON.parse(
  readFileSync(safeFile, 'utf8'),
);
const knownSafe = new Set(found.version === recheck.version ? found.safe : []);

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
  const keyOf = ({ source, flags }: Pattern): string => `/${source}/${flags}`;
  for (const pattern of analysed) {
    test(pattern.name, async () => {
      if (!knownSafe.has(keyOf(pattern))) assert.match(await complexityOf(pattern), /^safe, /);
      knownSafe.add(keyOf(pattern));
    });
  }
  after(() => {
    const safe = [...knownSafe.intersection(new Set(analysed.map(keyOf)))].toSorted();
    writeFileSync(safeFile, `${JSON.stringify({ version: recheck.version, safe }, null, 2)}\n`);
  });
});

test('the exceptions are still there', () => {
  assert.deepEqual(
    Object.keys(NOT_FOREIGN).filter((name) => !patterns.has(name)),
    [],
  );
  assert.deepEqual([...putTogether], Object.keys(PUT_TOGETHER));
});
