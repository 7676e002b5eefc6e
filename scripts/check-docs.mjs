// Checks the documentation: links and paths exist, commands exist, every folder of src is described, every decision and every
// page for users is listed, decisions are short, pages for users do not link to them, everything that comments in code cite
// exists, and the list of accessibility rules matches the installed axe-core.
//   node scripts/check-docs.mjs
// Prints one line per problem and exits with 1; prints nothing if there is none.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULES_PAGE, rulesPage } from './generate-rule-tables.mjs';

const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
const architecture = 'docs/architecture.md';
const index = 'docs/README.md';
/** The index itself, and the README of the package. */
const UNLISTED = [index, 'docs/npm.md'];
/** Lines of a decision. */
const DECISION_LINES_MAX = 60;
const MAY_CITE_DECISIONS = [architecture, 'CONTRIBUTING.md', 'CHANGELOG.md'];
const pages = [
  ...readdirSync(projectDirectory).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(projectDirectory, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].sort();
const { scripts } = JSON.parse(readFileSync(join(projectDirectory, 'package.json'), 'utf8'));

const problems = [
  ...pages.flatMap(problemsIn),
  ...undescribedFolders(),
  ...unlistedDecisions(),
  ...['src', 'web/src', 'test', 'scripts', 'packages', 'bench'].flatMap(brokenCitations),
  ...unlistedPages(),
  ...citedDecisions(),
  ...staleRules(),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function problemsIn(page) {
  const text = readFileSync(join(projectDirectory, page), 'utf8');
  const problems = [...brokenLinks(page, text), ...missingPaths(text), ...missingCommands(text)];
  if (/^docs\/decisions\/\d/.test(page)) problems.push(...tooManyLines(text));
  return problems.map((problem) => `${page}: ${problem}`);
}

function tooManyLines(text) {
  const lines = text.trimEnd().split('\n').length;
  return lines > DECISION_LINES_MAX ? [`${lines} lines, but a decision has at most ${DECISION_LINES_MAX}`] : [];
}

function brokenLinks(page, text) {
  return matches(withoutCode(text), /\]\(([^)\s]+)\)/g).flatMap((target) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(projectDirectory, page) : resolve(projectDirectory, dirname(page), path);
    if (!isInProject(file) || !existsSync(file)) return [`the link ${target} is broken`];
    if (anchor === undefined || anchorsOf(file).includes(anchor)) return [];
    return [`the link ${target} has no such heading`];
  });
}

/** Paths from the root of the project that do not exist. A path followed by `*` or a placeholder is a pattern. */
function missingPaths(text) {
  const paths = matches(text, /(?<![\w/.@-])((?:src|test|docs|scripts|migrations|bench|\.ci)\/[\w./@-]*)(?![\w*<{])/g);
  return [...new Set(paths.map((path) => path.replace(/\.$/, '')))]
    .filter((path) => !existsSync(join(projectDirectory, path)))
    .map((path) => `${path} does not exist`);
}

function missingCommands(text) {
  const named = [...matches(text, /\bnpm run (?:--?[a-z]+ )*([a-z-]+)/g), ...matches(text, /\bnpm (start|test)\b/g)];
  const missingScripts = named.filter((name) => !(name in scripts));
  const missing = matches(text, /\bnpm start (?:--silent )?-- ([a-z]+(?:-[a-z]+)*)/g).filter(
    (name) => !existsSync(join(projectDirectory, 'src/commands', `${name}.ts`)),
  );
  return [
    ...new Set([
      ...missingScripts.map((name) => `package.json has no script ${name}`),
      ...missing.map((name) => `sitewarden has no command ${name}`),
    ]),
  ];
}

function undescribedFolders() {
  const text = readFileSync(join(projectDirectory, architecture), 'utf8');
  return readdirSync(join(projectDirectory, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${relative(projectDirectory, join(entry.parentPath ?? entry.path, entry.name))}/`)
    .filter((folder) => !text.includes(`\`${folder}\``))
    .map((folder) => `${architecture}: the folder ${folder} is not described`);
}

function unlistedDecisions() {
  const list = join(projectDirectory, 'docs/decisions/README.md');
  const text = readFileSync(list, 'utf8');
  return readdirSync(dirname(list))
    .filter((name) => name !== 'README.md' && !text.includes(`](${name})`))
    .map((name) => `docs/decisions/README.md: ${name} is not listed`);
}

/** Pages, headings and decisions that comments in code cite and that do not exist. */
function brokenCitations(folder) {
  const decisions = readdirSync(join(projectDirectory, 'docs/decisions')).map((name) => name.slice(0, 4));
  return readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !name.includes('node_modules'))
    .flatMap((name) => {
      const text = readFileSync(join(projectDirectory, folder, name), 'utf8');
      const missing = matches(text, /\b(docs\/[a-z/-]*[\w-]+\.md(?:#[a-z-]+)?)/g).filter(
        (target) => !hasTarget(target),
      );
      const unknown = matches(text, /\bdecision (\d{4})\b/g).filter((number) => !decisions.includes(number));
      return [
        ...missing.map((target) => `${folder}/${name}: ${target} does not exist`),
        ...unknown.map((number) => `${folder}/${name}: there is no decision ${number}`),
      ];
    });
}

function hasTarget(target) {
  const [path = '', anchor] = target.split('#');
  const file = join(projectDirectory, path);
  return existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor));
}

/** Pages in `docs` that its index does not list, so that readers of the README would not find them within two clicks. */
function unlistedPages() {
  const text = readFileSync(join(projectDirectory, index), 'utf8');
  return readdirSync(join(projectDirectory, 'docs'))
    .filter((name) => name.endsWith('.md') && !UNLISTED.includes(`docs/${name}`) && !text.includes(`](${name})`))
    .map((name) => `${index}: ${name} is not listed`);
}

/** Users need facts and not how they came about. */
function citedDecisions() {
  return pages
    .filter((page) => !/^docs\/(decisions|contract)\//.test(page) && !MAY_CITE_DECISIONS.includes(page))
    .filter((page) => readFileSync(join(projectDirectory, page), 'utf8').includes('decisions/0'))
    .map((page) => `${page}: a page for users cites a decision`);
}

function staleRules() {
  if (readFileSync(join(projectDirectory, RULES_PAGE), 'utf8') === rulesPage()) return [];
  return [`${RULES_PAGE}: the rules are not those of the installed axe-core. Run \`npm run rule-tables\`.`];
}

function isInProject(file) {
  return file === projectDirectory || file.startsWith(`${projectDirectory}/`);
}

/** The anchors that GitHub makes for headings. */
function anchorsOf(file) {
  if (!file.endsWith('.md')) return [];
  return matches(withoutFences(readFileSync(file, 'utf8')), /^#+ +(.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text) {
  return withoutFences(text).replace(/`[^`\n]*`/g, '');
}

function withoutFences(text) {
  return text.replace(/^```.*?^```/gms, '');
}

/** The first group of each match. */
function matches(text, pattern) {
  return [...text.matchAll(pattern)].map(([, group]) => group);
}
