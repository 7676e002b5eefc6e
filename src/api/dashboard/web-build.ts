import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { messageOf } from '../../platform/errors.ts';

/** A file of the built dashboard, with its compressed forms. Small files are not compressed. */
export interface WebFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

export interface WebBuild {
  /** Files by the path below `/`, such as `assets/index-4f9a.js`. */
  readonly files: ReadonlyMap<string, WebFile>;
  /** The page that starts the app. */
  readonly index: WebFile;
  /** The paths of the app's screens, with parameters such as `$report`. */
  readonly paths: readonly string[];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where `scripts/build-web.mjs` builds the dashboard. */
const WEB_DIST = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');

/** Why there is no dashboard to serve. */
export interface MissingBuild {
  readonly reason: string;
}

export function isBuilt(web: WebBuild | MissingBuild): web is WebBuild {
  return 'files' in web;
}

/** Reads the built dashboard into memory: less than 2 MB. */
export function readWebBuild(folder: string = WEB_DIST): WebBuild | MissingBuild {
  try {
    const { paths }: { readonly paths: readonly string[] } = JSON.parse(
      readFileSync(join(folder, 'build.json'), 'utf8'),
    );
    const files = new Map(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => extname(name) in CONTENT_TYPES)
        .map((name) => [name.split(sep).join('/'), readWebFile(join(folder, name))]),
    );
    const index = files.get('index.html');
    if (index === undefined) return { reason: `${folder} has no index.html` };
    return { files, index, paths };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

function readWebFile(path: string): WebFile {
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? '',
    plain: readFileSync(path),
    gzip: readIfExists(`${path}.gz`),
    brotli: readIfExists(`${path}.br`),
  };
}

function readIfExists(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
