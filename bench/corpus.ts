import { fork } from 'node:child_process';
import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** A real website on disk: its pages, and where they are served. */
export interface Corpus {
  readonly name: string;
  /** Folders served under `/0`, `/1`, … of one origin. */
  readonly directories: readonly string[];
  /** Paths of the pages on that origin. */
  readonly pages: readonly string[];
  readonly bytes: number;
}

/** The websites in two npm packages: 111 pages of an admin template and 136 of a chart library's site. */
const DEFAULT_DIRECTORIES = ['@tabler/preview/dist', 'dygraphs/_site'].map((name) =>
  join(import.meta.dirname, '../node_modules', name),
);

/** The options of this process: `--directory`, `--every`, `--rounds`, `--pairs`. */
export async function corpusOfOptions(): Promise<{
  readonly corpus: Corpus;
  readonly rounds: number;
  readonly pairs: number;
}> {
  const { values } = parseArgs({
    options: {
      directory: { type: 'string' },
      every: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '1' },
      pairs: { type: 'string', default: '6' },
    },
  });
  const corpus = await corpusOf(values.directory, Number(values.every));
  return { corpus, rounds: Number(values.rounds), pairs: Number(values.pairs) };
}

/** Returns every `every`-th page of the folders, by name. */
export async function corpusOf(directory: string | undefined, every: number): Promise<Corpus> {
  const directories = directory === undefined ? DEFAULT_DIRECTORIES : [directory];
  const files: { path: string; file: string }[] = [];
  for (const [index, root] of directories.entries()) {
    const names = (await Array.fromAsync(glob('**/*.{html,htm}', { cwd: root }))).toSorted();
    files.push(...names.map((name) => ({ path: `/${index}/${name}`, file: join(root, name) })));
  }
  const chosen = files.filter((_, index) => index % every === 0);
  const sizes = await Promise.all(chosen.map(async ({ file }) => (await readFile(file)).byteLength));
  return {
    name: directory ?? '@tabler/preview and dygraphs',
    directories,
    pages: chosen.map(({ path }) => encodeURI(path)),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/** A website that another process serves, so that the measured code does not delay it. */
export interface ServedCorpus {
  readonly origin: string;
  /** Of its pages. */
  readonly urls: readonly string[];
  stop(): void;
}

export async function serveCorpus({
  directories,
  pages,
}: Pick<Corpus, 'directories' | 'pages'>): Promise<ServedCorpus> {
  const server = fork(join(import.meta.dirname, 'serve-corpus.ts'), directories);
  const [origin] = (await once(server, 'message')) as [string];
  return { origin, urls: pages.map((path) => `${origin}${path}`), stop: () => void server.disconnect() };
}
