/**
 * Measures parts of the spider: documents parsed for links per second, and documents fetched and parsed per second from nginx on
 * loopback, 8 at a time, without a rate limit. `node bench/spider.ts [DIRECTORY]`; the corpus is all HTML files below the
 * directory.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAddressGuard } from '../src/egress/address-guard.ts';
import { createHttpClient } from '../src/egress/http-client.ts';
import { extractLinks } from '../src/spider/extract-links.ts';
import { createPageFetcher } from '../src/spider/fetch-page.ts';
import { fetchesInFlightMax } from '../src/spider/limits.ts';
import type { RateLimiter } from '../src/spider/rate-limiter.ts';
import { freePort } from '../test/helpers/free-port.ts';

const directory = process.argv[2] ?? '/usr/share/doc/python3.11/html';
const rounds = 3;
const files = (await Array.fromAsync(glob('**/*.html', { cwd: directory }))).toSorted();
const bodies = await Promise.all(files.map((file) => readFile(join(directory, file))));
const bytes = bodies.reduce((sum, body) => sum + body.byteLength, 0);
console.log(`${files.length} documents, mean ${Math.round(bytes / files.length / 1_000)} kB`);

function report(name: string, tookMs: number): void {
  console.log(
    `${name}: ${Math.round((files.length * 1_000) / tookMs)} documents/s, ${(tookMs / files.length).toFixed(2)} ms each`,
  );
}

for (let round = 0; round < rounds; round += 1) {
  const started = performance.now();
  let links = 0;
  for (const [index, body] of bodies.entries()) {
    const url = `http://example.org/${files[index]}`;
    links += extractLinks({ url, httpStatus: 200, contentType: 'text/html', headers: [], body }).links.length;
  }
  report(`extract (${links} links)`, performance.now() - started);
}

const unlimited: RateLimiter = {
  acquire: async () => ({ written() {}, answered() {}, over() {} }),
  slowDown() {},
  falter() {},
  recover() {},
  spaceOut() {},
};

async function crawl(origin: string): Promise<void> {
  const httpClient = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: 'sitewarden/bench',
  });
  const fetchPage = createPageFetcher({ httpClient });
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const queue = files.values();
    const worker = async () => {
      for (const file of queue) {
        const outcome = await fetchPage(`${origin}/${file}`, { limiter: unlimited });
        if (outcome.kind !== 'document') throw new Error(`${file}: ${JSON.stringify(outcome)}`);
        extractLinks(outcome.document);
      }
    };
    await Promise.all(Array.from({ length: fetchesInFlightMax }, worker));
    report('fetch and extract', performance.now() - started);
  }
  await httpClient.close();
}

const folder = await mkdtemp(join(tmpdir(), 'bench-spider-'));
// The server's workers may run as another user.
await chmod(folder, 0o755);
const port = await freePort();
await writeFile(
  join(folder, 'nginx.conf'),
  `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; events {}
   http { types { text/html html; } access_log off; sendfile on; client_body_temp_path ${folder}/1;
   proxy_temp_path ${folder}/2; fastcgi_temp_path ${folder}/3; uwsgi_temp_path ${folder}/4; scgi_temp_path ${folder}/5;
   server { listen 127.0.0.1:${port}; root ${directory}; } }`,
);
const nginx = spawn(
  '/usr/sbin/nginx',
  ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')],
  {
    stdio: 'inherit',
  },
);
try {
  await sleep(300);
  await crawl(`http://127.0.0.1:${port}`);
} finally {
  nginx.kill();
  await once(nginx, 'exit');
  await rm(folder, { recursive: true });
}
