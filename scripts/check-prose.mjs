/**
 * Keeps words that a native reader would stumble over out of strings, JSX text, comments, titles of tests and Markdown pages.
 * Identifiers, code in Markdown, and the other strings of tests and scripts are not prose. Also limits the width of comments,
 * which Biome doesn't wrap.
 *   node scripts/check-prose.mjs [FOLDER of the project]
 * Prints one line per breach and exits with 1; prints nothing if there is none.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Words and phrases with what to write instead. The lookarounds allow good uses of them. */
const WORDS = [
  // "Cannot tell whether" and "tell apart" mean to distinguish.
  [
    /(?<!\bcan(?:not|'t)? )\b(?:tells?|told|telling)\b(?!(?: [\w,]+){0,4} apart)/,
    'notify, send, show, report or explain',
  ],
  // "Mail server" is the usual name of a server that speaks SMTP.
  [/\bmail(?:s|ed|ing)?\b(?! servers?\b)|\be-mails?\b/, 'email'],
  [/\bweb sites?\b/, 'website'],
  // The Nu Html Checker is the name of a product.
  [/(?<!\bNu )\bHTML checkers?\b/, 'HTML validator'],
  // Unix has a user with the name nobody.
  [/(?<!\b(?:postgres|uid of) )\b(?:some|any|every|no)body\b/, 'users, visitors, the owner; anyone, everyone, no one'],
  [/\b(?:is|are|was|were) (?:there already|already there)\b/, 'already exists'],
  [/\b(?:(?:is|are|was|were) not|isn't|aren't) there\b/, "doesn't exist"],
  [/\bput(?:s|ting)? right\b|\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bbeside\b/, 'next to, along with'],
  [/\bas of `?--/, 'as in, from'],
  [/\b(?:pages|rows|errors|warnings|URLs|reports|issues) at most\b/, 'maximum pages, or at most 5 pages'],
  [/\b(?:rows|errors|warnings|issues) a page\b/, 'per page'],
  [/\b(?:has|have|had|finds?|found) no (?:room|place)\b/, "isn't included, doesn't fit"],
  [
    /\blet(?:s|ting)? in\b|\bends? (?:https|TLS)\b|\bpass(?:es|ed|ing)? on\b/,
    'authenticates, terminates TLS, forwards',
  ],
  [/\bthr(?:ow|own|ows|ew|owing) away\b/, 'discard, delete'],
  [/\bin the clear\b/, 'unencrypted, in plain text'],
  [/\b(?:whatever|wherever)\b/, 'even if, regardless of'],
  [/\b(?<!\bonly )one that\b(?! you\b)|\bthose of\b|(?<!\bso )\bthat of\b|\bthe same of\b/, 'the noun again'],
  [/(?<!\bquestions? and )\banswers?\b/, 'response; return; result, insight'],
  [/\bjudg(?:es?|ed|ing|e?ment)\b|\bbad runs?\b/, 'evaluate; failed run'],
  // The HTML element picture is fine.
  [/(?<!<)\bpictures?\b(?!, canvas)/, 'screenshot'],
  [/\bkinds? of (?:\w+ )?issues?\b/, 'rule, issue type'],
  // Other places, such as a position in a file, are fine.
  [/\bplaces of (?:(?:an?|the|its|common) )*issues?\b|\bplaces? on (?:\w+ )?pages?\b/, 'occurrence'],
  [/\bmeanwhile\b/, 'in the meantime, at the same time; or nothing'],
  [/\bnevertheless\b/, 'still, but; or nothing'],
  [/\bas well\b(?! as\b)/, 'also, too'],
  [/\bwhoever\b/, 'anyone who, users who'],
  [/\b\d[\d,.]* (?:(?!of|on|for|in|at|to)\w+ )?a (?:second|minute|hour|day|week|month|page)\b/, 'per minute, per page'],
];

/** Whole words in any case, with any space between them. */
const PATTERNS = WORDS.map(([pattern, instead]) => [
  new RegExp(`(?<![-/.#])(?:${pattern.source.replaceAll(' ', '\\s+')})(?![-/.]\\w)`, 'gi'),
  instead,
]);

/** Migrations of unreleased versions do not change. This file has the words themselves. */
const EXCLUDED = /node_modules|CHANGELOG|migrations\/unreleased|scripts\/check-prose\.mjs|test\/fixtures/;

/** Generated from the descriptions in src/api. */
const GENERATED = join('packages', 'client', 'schema.ts');

/** Prose may be a little wider than code, which Biome wraps at 120. */
const COLUMNS_MAX = 130;
const CODE = /\.(?:tsx?|mjs)$/;
const PRODUCT = ['src', 'web/src', 'packages'];
const TOOLS = ['test', 'scripts', 'bench'];

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const breaches = [
  ...PRODUCT.flatMap((folder) => breachesBelow(folder, CODE, wordsIn(proseOfCode))),
  ...TOOLS.flatMap((folder) => breachesBelow(folder, CODE, wordsIn(proseOfTools))),
  ...['.', 'docs'].flatMap((folder) => breachesBelow(folder, /\.md$/, wordsIn(proseOfMarkdown))),
  ...[...PRODUCT, ...TOOLS].flatMap((folder) => breachesBelow(folder, CODE, wideComments(commentsOfCode))),
  ...breachesBelow('web/src', /\.css$/, wideComments(commentsOfCss)),
];
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;

function breachesBelow(folder, name, breachesIn) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => name.test(file) && !EXCLUDED.test(file) && file !== GENERATED)
    .sort()
    .flatMap((file) => breachesIn(readFileSync(join(root, file), 'utf8'), file));
}

function wordsIn(proseOf) {
  return (text, file) =>
    proseOf(text, file).flatMap(([start, prose]) =>
      PATTERNS.flatMap(([pattern, instead]) =>
        [...prose.matchAll(pattern)].map(({ 0: words, index }) => {
          const line = text.slice(0, start + index).split('\n').length;
          return `${file}:${line}: "${words.replace(/\s+/g, ' ')}": write ${instead}.`;
        }),
      ),
    );
}

/** Checks whole lines, so that a comment after code counts with the code. */
function wideComments(commentsOf) {
  return (text, file) => {
    const lines = text.split('\n');
    const lineOf = (offset) => text.slice(0, offset).split('\n').length;
    const numbers = commentsOf(text, file).flatMap(([start, comment]) =>
      comment.split('\n').map((_, index) => lineOf(start) + index),
    );
    return [...new Set(numbers)]
      .filter((number) => lines[number - 1].length > COLUMNS_MAX && !lines[number - 1].includes('biome-ignore'))
      .map((number) => `${file}:${number}: the comment is wider than ${COLUMNS_MAX} columns.`);
  };
}

/** Pieces of prose with their offsets. Replacements keep the length, so that offsets stay true. */
function proseOfCode(text, file) {
  return proseIn(text, file, stringsIn);
}

function proseOfTools(text, file) {
  return proseIn(text, file, titlesIn);
}

function proseIn(text, file, moreIn) {
  const { program, comments } = parseSync(file, text);
  // Indented lines of comments are commands.
  const inComments = comments.map(({ start, end }) => {
    return [start, text.slice(start, end).replace(/\n\s*\*(?: {3}.*)?|@param [\w.]+/g, blank)];
  });
  return [...inComments, ...moreIn(program, text)].map(([start, prose]) => [start, withoutCode(prose)]);
}

function commentsOfCode(text, file) {
  return parseSync(file, text).comments.map(({ start, end }) => [start, text.slice(start, end)]);
}

function commentsOfCss(text) {
  return [...text.matchAll(/\/\*.*?\*\//gs)].map(({ 0: comment, index }) => [index, comment]);
}

/** The titles of tests. */
function titlesIn(node, text) {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return node.flatMap((child) => titlesIn(child, text));
  const inner = Object.values(node).flatMap((child) => titlesIn(child, text));
  const isTest = node.type === 'CallExpression' && /^(?:it|describe|test)\b/.test(text.slice(node.start, node.end));
  return isTest ? [...stringsIn(node.arguments[0], text), ...inner] : inner;
}

function stringsIn(node, text) {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return node.flatMap((child) => stringsIn(child, text));
  const inner = Object.values(node).flatMap((child) => stringsIn(child, text));
  const isProse =
    node.type === 'JSXText' ||
    node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && typeof node.value === 'string');
  if (!isProse) return inner;
  // Without its quotes: backticks around a template don't make it code.
  let prose = text
    .slice(node.start, node.end)
    .replace(/\\./g, '  ')
    .replace(/^['"`]|['"`]$/g, ' ');
  for (const { start, end } of node.expressions ?? []) {
    prose = prose.slice(0, start - node.start) + '_'.repeat(end - start) + prose.slice(end - node.start);
  }
  // A string without a space is an identifier, a path or a key.
  return /\s\S/.test(prose.trim()) || node.type === 'JSXText' ? [[node.start, prose], ...inner] : inner;
}

function proseOfMarkdown(text) {
  return [[0, withoutCode(text.replace(/^(?: *)```.*?^(?: *)```/gms, blank))]];
}

/** `code` keeps its marks and loses its words. */
function withoutCode(text) {
  return text.replace(/`[^`\n]*`/g, (code) => code.replace(/\w/g, '_'));
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}
