import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/check-prose.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
for (const inner of ['src', 'web/src', 'packages', 'docs', 'test', 'migrations'])
  mkdirSync(join(folder, inner), { recursive: true });

/** Not a page of the project. */
const page = join('docs', 'a.md');

after(() => rmSync(folder, { recursive: true }));

/** Returns the problems that the script reports when a file has a text. */
function complaintsAbout(file: string, text: string): string[] {
  const path = join(folder, file);
  writeFileSync(path, text);
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  rmSync(path);
  const complaints = stderr.split('\n').filter((line) => line !== '');
  assert.equal(status, complaints.length > 0 ? 1 : 0);
  return complaints;
}

it('words are found in strings, templates, comments, JSX text and Markdown, with their lines', () => {
  const found = (file: string, text: string) => complaintsAbout(file, text).map((line) => line.split('": ')[0]);
  assert.deepEqual(found('src/a.ts', "const a = 1;\nexport const text = 'You get a mail.';\n"), ['src/a.ts:2: "mail']);
  assert.deepEqual(found('src/a.ts', `f(\`The page\n  \${g("is told")} was thrown away\`);\n`), [
    'src/a.ts:2: "thrown away',
    'src/a.ts:2: "told',
  ]);
  assert.deepEqual(found('src/a.ts', '/**\n * What has no\n * room here.\n */\n// For somebody.\n'), [
    'src/a.ts:2: "has no room',
    'src/a.ts:5: "somebody',
  ]);
  assert.deepEqual(found('web/src/a.tsx', 'export const a = <p>\n  A kind of issue\n</p>;\n'), [
    'web/src/a.tsx:2: "kind of issue',
  ]);
  assert.deepEqual(found(page, 'As of `--all`, rows a page.\n'), [`${page}:1: "As of \`--`, `${page}:1: "rows a page`]);
});

it('in tests and scripts, words are found in comments and titles, and not in other strings', () => {
  const text = [
    "describe('the mails', () => {",
    "  test('somebody is told', () => equal(a, 'the mail is told'));",
    '  // For anybody.',
    '});',
    '/**',
    ' * Sends it.',
    ' *   npm run mail',
    ' */',
  ].join('\n');
  assert.deepEqual(
    complaintsAbout('test/a.test.ts', text).map((line) => line.split('": ')[0]),
    [
      'test/a.test.ts:3: "anybody',
      'test/a.test.ts:1: "mails',
      'test/a.test.ts:2: "told',
      'test/a.test.ts:2: "somebody',
    ],
  );
});

it('the message has the replacement', () => {
  assert.deepEqual(complaintsAbout('a.md', 'A web site.\n'), ['a.md:1: "web site": write website.']);
});

it('identifiers, code, paths, imports and good uses are not prose', () => {
  const code = [
    "import { answer } from './answer.ts';",
    "const picture = { mail: 'mail', told: answer };",
    `const text = \`A mail server: \${picture.mail}, as in answers.test.ts\`;`,
    "const good = 'Colors that nobody can tell apart'.replace('nobody', 'you');",
  ];
  assert.deepEqual(
    complaintsAbout('src/a.ts', code.join('\n')).map((line) => line.split('": ')[0]),
    ['src/a.ts:4: "nobody'],
  );
  assert.deepEqual(
    complaintsAbout('a.md', 'See `told`, ![A page](pictures/a.webp).\n\n```sh\nmail somebody\n```\n'),
    [],
  );
});

it('comments wider than 130 columns are reported, in TypeScript and CSS', () => {
  const words = 'word '.repeat(25).trim();
  const wide = (file: string) => [`${file}:2: the comment is wider than 130 columns.`];
  assert.equal(`// ${words} 12`.length, 130);
  for (const [file, text] of [
    ['src/a.ts', `// ${words} 12\n/** ${words} */\n`],
    ['test/a.test.ts', `/**\n * ${words} 123\n */\n`],
    ['web/src/a.css', `/* ${words}\n ${words} 12 */\n`],
  ] as const) {
    assert.deepEqual(complaintsAbout(file, text), wide(file));
  }
  const code = `export const text = '${words} 1234567890';\n// biome-ignore lint/a/b: ${words}\n`;
  assert.deepEqual(complaintsAbout('src/a.ts', code), []);
});
