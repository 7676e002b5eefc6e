import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createNameResolver, type NameResolver } from '../../src/egress/name-resolver.ts';
import { client, errorOf, fetchOnce, html, withRawServer } from '../helpers/fetching.ts';
import { type NameAnswer, type NameServer, startNameServer } from '../helpers/name-server.ts';

/** A real name server on this machine; 127.0.0.1 and ::1 play the public internet. */

const ANSWERS: Readonly<Record<string, NameAnswer>> = {
  'site.test': ['127.0.0.1'],
  'both.test': ['127.0.0.1', '::1'],
  'in-file.test': ['127.0.0.9'],
  'mail-only.test': [],
  'broken.test': 'error',
};

let server: NameServer;
let names: NameResolver;
/** For names whose server is silent. */
let impatient: NameResolver;
let directory: string;
let hostsFile: string;

before(async () => {
  server = await startNameServer((name, type) => {
    if (name.startsWith('silent')) return 'silent';
    if (name === 'half-silent.test') return type === 'AAAA' ? 'silent' : ['127.0.0.1'];
    if (name === 'ipv4-missing-silent.test') return type === 'AAAA' ? 'silent' : [];
    if (name === 'late.test') return delay(400, ['127.0.0.1']);
    return ANSWERS[name] ?? 'missing';
  });
  directory = await mkdtemp(join(tmpdir(), 'sitewarden-names-'));
  hostsFile = join(directory, 'hosts');
  await writeFile(
    hostsFile,
    '# a comment\n127.0.0.5 in-file.test IN-FILE-TOO.test # another\n::1 in-file.test\nnonsense x\n',
  );
  const settings = { servers: [server.address], hostsFile, asksSystem: false };
  names = createNameResolver(settings);
  impatient = createNameResolver({ ...settings, timeoutMs: 3_000 });
});
after(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

async function addressesOf(name: string, resolver = names): Promise<string[]> {
  return (await resolver.resolve(name)).map(({ address }) => address).sort();
}
const reasonOf = (name: string, resolver = names): Promise<string> =>
  resolver.resolve(name).then(
    () => 'found',
    (error) => error.reason,
  );

describe('a name', () => {
  it('has the addresses of both families from its name server', async () => {
    assert.deepEqual(await addressesOf('site.test'), ['127.0.0.1']);
    assert.deepEqual(await addressesOf('Site.test.'), ['127.0.0.1']);
    assert.deepEqual(await addressesOf('both.test'), ['127.0.0.1', '::1']);
  });

  it('has its IPv6 addresses first only if the machine has a global one', async () => {
    const firstFamily = async (...addresses: string[]) => {
      const eth0 = addresses.map((address) => ({
        address,
        netmask: 'ffff:ffff:ffff:ffff::',
        family: 'IPv6' as const,
        mac: '02:00:00:00:00:01',
        internal: false,
        cidr: `${address}/64`,
        scopeid: 0,
      }));
      const settings = { servers: [server.address], hostsFile, interfaces: () => ({ eth0 }), asksSystem: false };
      return (await createNameResolver(settings).resolve('both.test'))[0]?.family;
    };
    assert.equal(await firstFamily(), 4);
    assert.equal(await firstFamily('fe80::1', 'fd12:3456::1', 'FC00::1'), 4);
    assert.equal(await firstFamily('fe80::1', 'fd12:3456::1', '2001:db8::1'), 6);
  });

  it('has the addresses of one family if the server ignores the query for the other', async () => {
    assert.deepEqual(await addressesOf('half-silent.test'), ['127.0.0.1']);
  });

  it('in the hosts file is looked up nowhere else, and the file is read again when it changes', async () => {
    const before = server.questions.length;
    assert.deepEqual(await addressesOf('in-file.test'), ['127.0.0.5', '::1']);
    assert.deepEqual(await addressesOf('in-file-too.test'), ['127.0.0.5']);
    assert.equal(server.questions.length, before);
    await writeFile(hostsFile, '127.0.0.66 in-file-too.test\n');
    assert.deepEqual(await addressesOf('in-file-too.test'), ['127.0.0.66']);
    assert.deepEqual(await addressesOf('in-file.test'), ['127.0.0.9']);
  });

  it('localhost and those below it never leave the machine', async () => {
    const before = server.questions.length;
    const bare = createNameResolver({ servers: [server.address], hostsFile: '/nowhere', asksSystem: false });
    assert.deepEqual(await addressesOf('localhost', bare), ['127.0.0.1', '::1']);
    assert.deepEqual(await addressesOf('shop.localhost', bare), ['127.0.0.1', '::1']);
    assert.equal(server.questions.length, before);
  });

  it('that does not exist, has no address, or whose server fails or is silent, is distinguished', async () => {
    const reasons = ['missing.test', 'mail-only.test', 'broken.test', 'silent.test', 'ipv4-missing-silent.test'];
    assert.deepEqual(await Promise.all(reasons.map((name) => reasonOf(name, impatient))), [
      'name_not_found',
      'name_not_found',
      'name_lookup_failed',
      'name_lookup_timeout',
      'name_lookup_timeout',
    ]);
  });

  it('that only the system knows is found only if private networks are allowed', async (context) => {
    const [line = ''] = /^[\d.]+[ \t]+(?!localhost|.*test)\S+$/m.exec(await readFile('/etc/hosts', 'utf8')) ?? [];
    const [address, name] = line.split(/\s+/);
    if (name === undefined) return context.skip('/etc/hosts has no name but localhost');
    const settings = { servers: [server.address], hostsFile: '/nowhere' };
    assert.deepEqual(await addressesOf(name, createNameResolver({ ...settings, asksSystem: true })), [address]);
    assert.equal(await reasonOf(name, createNameResolver({ ...settings, asksSystem: false })), 'name_not_found');
    assert.equal(
      await reasonOf('missing.test', createNameResolver({ ...settings, asksSystem: true })),
      'name_not_found',
    );
  });
});

describe('names whose server is silent', () => {
  it('delay no others, and their pages say so', async () => {
    const addressGuard = createAddressGuard({ allowPrivateNetworks: true, names });
    const httpClient = client({ addressGuard });
    const respond = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${html.length}\r\n\r\n${html}`;
    const done: string[] = [];
    await withRawServer(
      (socket) => socket.end(respond),
      async (origin) => {
        const { port } = new URL(origin);
        const fetch = async (name: string | undefined) => {
          const outcome = await fetchOnce(`http://${name}:${port}/`, httpClient);
          done.push(outcome.kind);
          return outcome;
        };
        // Many times more than the threads that the process has for look-ups by the system.
        const silent = Array.from({ length: 40 }, (_, index) => fetch(`silent-${index}.test`));
        const others = Array.from({ length: 20 }, () => fetch('site.test'));
        await Promise.all(others);
        assert.deepEqual(
          done,
          others.map(() => 'document'),
        );
        for (const outcome of await Promise.all(silent)) {
          assert.match(
            errorOf(outcome)[1],
            /^The host name silent-\d+\.test could not be resolved: the name server did not respond/,
          );
        }
      },
    );
  });

  it('and names that do not exist have different sentences', async () => {
    const httpClient = client({ addressGuard: createAddressGuard({ allowPrivateNetworks: true, names }) });
    const [missing, broken] = await Promise.all(
      ['missing.test', 'broken.test'].map(async (name) => errorOf(await fetchOnce(`http://${name}/`, httpClient))[1]),
    );
    assert.match(missing ?? '', /^The host name missing\.test was not found/);
    assert.match(broken ?? '', /^The host name broken\.test could not be resolved: its name server returned an error/);
  });
});

describe('the time for a connection', () => {
  const hasty = () =>
    client({
      addressGuard: createAddressGuard({ allowPrivateNetworks: true, names }),
      limits: { connectTimeoutMs: 200 },
    });

  it('begins when the name has been looked up', async () => {
    const outcome = await fetchOnce('http://late.test:9999/', hasty());
    assert.match(errorOf(outcome)[1], /^The connection was refused/);
  });

  it('ends the wait for a server that never responds, by name and by address', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    for (const host of ['site.test', '127.0.0.1']) {
      const outcome = await fetchOnce(`https://${host}:${port}/`, hasty());
      assert.match(errorOf(outcome)[1], /^Connecting to the server timed out/);
    }
    silent.close();
  });
});

describe('the guard', () => {
  it('checks every address of a name', async () => {
    const addressGuard = createAddressGuard({ allowPrivateNetworks: false, names });
    const outcome = await fetchOnce('http://both.test/', client({ addressGuard }));
    assert.match(errorOf(outcome)[1], /^The address of both\.test is on a private network/);
  });
});
