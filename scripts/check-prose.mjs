/**
 * Keeps words that a native reader would stumble over out of what people read: strings, JSX text and comments of the code, and
 * the Markdown pages. Identifiers, and code in Markdown, are not prose.
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

/** Generated from the descriptions in src/api. */
const GENERATED = join('packages', 'client', 'schema.ts');

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const breaches = [
  ...['src', 'web/src', 'packages'].flatMap((folder) => breachesBelow(folder, /\.tsx?$/, proseOfCode)),
  ...['.', 'docs'].flatMap((folder) => breachesBelow(folder, /\.md$/, proseOfMarkdown)),
];
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;

function breachesBelow(folder, name, proseOf) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => name.test(file) && !/node_modules|CHANGELOG/.test(file) && file !== GENERATED)
    .sort()
    .flatMap((file) => breachesIn(file, proseOf));
}

function breachesIn(file, proseOf) {
  const text = readFileSync(join(root, file), 'utf8');
  return proseOf(text, file).flatMap(([start, prose]) =>
    WORDS.flatMap(([pattern, instead]) =>
      [...prose.matchAll(new RegExp(`(?<![-/.#])(?:${pattern.source.replaceAll(' ', '\\s+')})(?![-/.]\\w)`, 'gi'))].map(
        ({ 0: words, index }) => {
          const line = text.slice(0, start + index).split('\n').length;
          return `${file}:${line}: "${words.replace(/\s+/g, ' ')}": write ${instead}.`;
        },
      ),
    ),
  );
}

/** Pieces of prose with their offsets. Replacements keep the length, so that offsets stay true. */
function proseOfCode(text, file) {
  const { program, comments } = parseSync(file, text);
  return [
    ...comments.map(({ start, end }) => [start, text.slice(start, end).replace(/\n\s*\*|@param [\w.]+/g, blank)]),
    ...stringsIn(program, text),
  ].map(([start, prose]) => [start, withoutCode(prose)]);
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
