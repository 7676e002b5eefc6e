import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createHtmlEngine } from '../../src/checks/html/engine.ts';
import { interpretVnuOutput } from '../../src/checks/html/interpret.ts';
import type { VnuMessage, VnuOutput } from '../../src/checks/html/vnu-output.ts';
import { parseVnuOutput } from '../../src/checks/html/vnu-output.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { encodedPages } from '../helpers/encoded-pages.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { runVnuCommandLine } from '../helpers/vnu-command-line.ts';

/** The engine's raw checks equal, message by message, the output of the validator's command line for the same bytes. */

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** All pages of the small packages, every eighth of the big one: 28. */
const CORPORA = [
  { name: 'startbootstrap-sb-admin-2', every: 1 },
  { name: 'html5-boilerplate', every: 1 },
  { name: '@tabler/preview', every: 8 },
];
/** Tags that say almost nothing about the problem. */
const BROAD_TAGS = ['attribute', 'element', 'other'];
const megabyte = 1024 * 1024;

const engine = createHtmlEngine({
  concurrency: availableParallelism(),
  externalUrl: (await sharedValidator()).SITEWARDEN_VNU_URL,
  children: { add: () => undefined, remove: () => undefined },
  logger: createLogger({ level: 'warn', format: 'json' }),
});

interface Sample {
  readonly name: string;
  readonly file: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The messages about the encoding that the file's do not have. They come first. */
  readonly ofEncoding: readonly VnuMessage[];
}

let directory: string;
let samples: readonly Sample[] = [];
let expected: readonly (readonly VnuMessage[])[] = [];
/** The server from which documents try to make the validator fetch something. */
const trap = createServer((socket) => {
  visits += 1;
  socket.destroy();
});
let visits = 0;

function page(content: string, head = ''): string {
  return `<!DOCTYPE html><html lang="en"><head><title>Sample</title>${head}</head><body>${content}</body></html>`;
}

/** Documents that command lines and servers are known to treat differently, or that break validators. */
function specialDocuments(trapUrl: string): Record<string, string | Buffer> {
  const row = '<div class="a" class="b" align=left><p>Text<center>old</center></p></div>\n';
  const manyErrors = page(row.repeat(1700));
  const text = '<p>Some text that is quite in order, <em>apart</em> from its length.</p>\n';
  const accents = page('<p>caf\u00e9</p><p id=x id=y>');
  return {
    'many-errors.html': manyErrors,
    'over-2-megabytes.html': page(text.repeat(Math.ceil((2.5 * megabyte) / text.length)) + row),
    'over-10-megabytes.html': page(text.repeat(Math.ceil((10 * megabyte) / text.length)) + row),
    'empty.html': '',
    'no-doctype.html': '<title>x</title><p>No doctype',
    'utf-8-mark.html': `\ufeff${accents}`,
    'utf-16.html': Buffer.from(`\ufeff${accents}`, 'utf16le'),
    'windows-1252.html': Buffer.from(accents, 'latin1'),
    'windows-1252-declared.html': Buffer.from(page('<p>caf\u00e9', '<meta charset="windows-1252">'), 'latin1'),
    'late-declaration.html': page('<p>x', `<!--${'x'.repeat(1100)}--><meta charset="utf-8">`),
    'nul.html': page('<p>a\0b</p><p\0 c=\0>'),
    'every-byte.html': Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256)),
    'deep.html': page('<div>'.repeat(3000)),
    'unrecoverable.html': `<!DOCTYPE html><html><head><title>x</title></head><body><h2>x</h2><b><p>1</b>2</p></body></html>`,
    'other-language.html': page(`<p>${'Dies ist ein deutscher Text über das Wetter und die Leute. '.repeat(40)}`),
    'old-xhtml.html': `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "${trapUrl}/a.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><br/></body></html>`,
    'references.html': page(
      `<p style="background:url(${trapUrl}/b)"><img src="${trapUrl}/c.png"><iframe src="${trapUrl}/d"></iframe>`,
      `<link rel=stylesheet href="${trapUrl}/e.css"><style>@import "${trapUrl}/f.css"; p { colr: red }</style><base href="${trapUrl}/">`,
    ),
    'fatal.xhtml': `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "${trapUrl}/g.dtd"><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>x</title></head><body><p clas="y">a&nbsp;b<br></p></body></html>`,
    'entities.xhtml': `<?xml version="1.0"?><!DOCTYPE html SYSTEM "${trapUrl}/h.dtd" [<!ENTITY % p SYSTEM "${trapUrl}/i.dtd"> %p; <!ENTITY e SYSTEM "${trapUrl}/j.txt">]><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title></head><body><p>&e;</p></body></html>`,
    'own-entities.xhtml': `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY co "Company &amp; <font>Co</font>"><!ENTITY year "2026 &co;">]><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title></head><body><p>&co; &year;</p></body></html>`,
    'legacy.xhtml': Buffer.from(
      '<?xml version="1.0" encoding="iso-8859-1"?><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title></title></head><body><p clas="y">caf\u00e9</p><h2>x</h2><img src="a b"/></body></html>',
      'latin1',
    ),
  };
}

async function corpusSamples(): Promise<Sample[]> {
  const found: Sample[] = [];
  for (const { name, every } of CORPORA) {
    const root = join(MODULES, name);
    const files = globSync('**/*.html', { cwd: root }).sort();
    for (const file of files.filter((_, index) => index % every === 0)) {
      const path = join(root, file);
      const body = await readFile(path);
      found.push({ name: `${name}/${file}`, file: path, contentType: 'text/html', body, ofEncoding: [] });
    }
  }
  return found;
}

async function specialSamples(trapUrl: string): Promise<Sample[]> {
  const made: Sample[] = [];
  for (const [name, content] of Object.entries(specialDocuments(trapUrl))) {
    const file = join(directory, name);
    const body = Buffer.from(content);
    await writeFile(file, body);
    const contentType = name.endsWith('.xhtml') ? 'application/xhtml+xml' : 'text/html';
    made.push({ name, file, contentType, body, ofEncoding: [] });
  }
  return made;
}

async function encodedSamples(): Promise<Sample[]> {
  const made: Sample[] = [];
  for (const [name, { contentType, body, asFile }] of Object.entries(encodedPages)) {
    const file = join(directory, `${name}.html`);
    await writeFile(file, asFile?.body ?? body);
    made.push({ name, file, contentType, body, ofEncoding: asFile?.messages ?? [] });
  }
  return made;
}

async function collect(body: Uint8Array, contentType: string): Promise<VnuOutput> {
  const document = { url: 'https://example.org/', httpStatus: 200, contentType, headers: [], body };
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: '' };
  return parseVnuOutput(await engine.collect(input, new AbortController().signal));
}

/**
 * Everything except extracts and first columns, which depend on how the bytes arrived, and guesses of the language, which
 * use random numbers: on texts without a clear language, two runs of the command line differ too.
 */
function comparable(messages: readonly VnuMessage[]) {
  return upToFatal(messages)
    .filter(isNoLanguageGuess)
    .map(({ type, subType, message, lastLine, lastColumn }) => [
      type,
      subType,
      // The server mode says "XHTML element" of documents in XML where the command line says "element".
      message.replaceAll(/(?:XHTML|SVG|MathML) element/g, 'element').replace(/^element/, 'Element'),
      lastLine,
      lastColumn,
    ]);
}

/**
 * After a fatal error, further errors are ignored. The command line, which takes many files, still evaluates what it has read as
 * if that were everything: it reports a missing `<h1>`, for instance. The server mode does not.
 */
function upToFatal(messages: readonly VnuMessage[]): readonly VnuMessage[] {
  const fatal = messages.findIndex(({ subType }) => subType === 'fatal');
  return fatal === -1 ? messages : messages.slice(0, fatal + 1);
}

function isNoLanguageGuess({ message }: VnuMessage): boolean {
  return !/^(?:This document appears to be written in|Consider adding a “lang” attribute)/.test(message);
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'html-exactness-'));
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  const address = trap.address();
  assert.ok(address !== null && typeof address === 'object');
  const trapUrl = `http://127.0.0.1:${address.port}`;
  samples = [...(await corpusSamples()), ...(await specialSamples(trapUrl)), ...(await encodedSamples())];
  const [, said] = await Promise.all([engine.start(), runVnuCommandLine(samples.map(({ file }) => file))]);
  expected = said;
});

after(async () => {
  await engine.stop();
  trap.close();
  await rm(directory, { recursive: true, force: true });
});

describe('the raw HTML check', () => {
  it('equals the output of the command line, message by message', async () => {
    assert.ok(samples.length >= 75, `only ${samples.length} samples`);
    const waiting = samples.entries();
    const inTurn = async (): Promise<void> => {
      for (const [index, sample] of waiting) await compare(sample, index);
    };
    await Promise.all(Array.from({ length: engine.concurrency }, inTurn));

    async function compare(sample: Sample, index: number): Promise<void> {
      const raw = await collect(sample.body, sample.contentType);
      assert.deepEqual(raw.messages, upToFatal(raw.messages), sample.name);
      const messages = [...sample.ofEncoding, ...(expected[index] ?? [])];
      assert.deepEqual(comparable(raw.messages), comparable(messages), sample.name);
    }
  });

  it('has many findings, and thousands of messages in one document', () => {
    const counts = new Map(samples.map(({ name }, index) => [name, expected[index]?.length ?? 0]));
    assert.ok((counts.get('many-errors.html') ?? 0) > 5000);
    assert.ok((counts.get('over-10-megabytes.html') ?? 0) > 0);
    for (const name of ['fatal.xhtml', 'unrecoverable.html']) {
      const messages = expected[samples.findIndex((sample) => sample.name === name)] ?? [];
      assert.ok(
        messages.some(({ subType }) => subType === 'fatal'),
        name,
      );
    }
  });

  it('required no network access', () => {
    assert.equal(visits, 0);
  });

  it('has issues that add up to the messages and have a fitting tag', () => {
    for (const [index, sample] of samples.entries()) {
      const messages = expected[index] ?? [];
      const issues = interpretVnuOutput({ messages }, 'https://example.org/');
      const total = issues.reduce((sum, { howMany }) => sum + howMany, 0);
      assert.equal(total, messages.length, sample.name);
      for (const { message, tags } of issues) {
        assert.ok(
          tags.some((tag) => !BROAD_TAGS.includes(tag)),
          `${sample.name}: ${message}`,
        );
      }
    }
  });

  it('guesses the language of the text', async () => {
    const sample = samples.find(({ name }) => name === 'other-language.html');
    const { messages, language } = await collect(sample?.body ?? Buffer.of(), 'text/html');
    assert.equal(language, 'de');
    assert.match(
      messages[0]?.message ?? '',
      /^This document appears to be written in German but the “html” start tag has/,
    );
  });

  it('reports the type of an XML document without namespace, which the command line does not', async () => {
    const body = Buffer.from('<html lang="en"><head><title>x</title></head><body><p>x</p></body></html>');
    const { messages } = await collect(body, 'application/xhtml+xml');
    assert.deepEqual(
      messages.map(({ type, message }) => [type, message.slice(0, 60)]),
      [
        ['info', '“application/xhtml+xml” is not an appropriate Content-Type f'],
        ['error', 'Unnamespaced element “html” not allowed in this context. (Su'],
      ],
    );
  });

  it('rejects an XML document whose entities would keep the validator busy forever', async () => {
    const levels = Array.from({ length: 9 }, (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`);
    const body = Buffer.from(
      `<!DOCTYPE html [<!ENTITY a0 "lol">${levels.join('')}]><html xmlns="http://www.w3.org/1999/xhtml"><p>&a9;</p></html>`,
    );
    await assert.rejects(
      collect(body, 'application/xhtml+xml'),
      (error) => error instanceof CheckFault && error.permanent && /entities/.test(error.message),
    );
    // Its HTML parser ignores entities.
    assert.ok((await collect(body, 'text/html')).messages.length > 0);
  });
});
