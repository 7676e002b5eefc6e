import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { fc } from '../helpers/random.ts';
import { startTestSite } from '../helpers/test-site.ts';

const strict = createAddressGuard({ allowPrivateNetworks: false });

describe('refuses', () => {
  const refused = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.255', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::', '64:ff9b:1::8.8.8.8', '100::1', '2001::1', '2001:db8::1'],
    ...[
      '2002:7f00:1::',
      '3fff::1',
      '5f00::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'ff02::1',
    ],
    ...['2606:4700::1111%eth0', 'localhost', '', '127.1', '1.2.3.4.5'],
  ];
  const open = [
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '172.15.255.255',
      '172.32.0.0',
    ],
    ...['192.0.1.0', '192.167.255.255', '198.17.255.255', '198.20.0.0', '223.255.255.255', '93.184.215.14'],
    ...['2606:4700:4700::1111', '2a00:1450:4001:800::200e', '64:ff9b::8.8.8.8', '64:ff9b::101:101', '::ffff:8.8.8.8'],
  ];
  it('addresses that are not on the public internet', () => {
    assert.deepEqual(
      refused.filter((address) => !strict.refuses(address)),
      [],
    );
  });
  it('no public address', () => {
    assert.deepEqual(
      open.filter((address) => strict.refuses(address)),
      [],
    );
  });
  it('nothing if private networks are allowed', () => {
    const lenient = createAddressGuard({ allowPrivateNetworks: true });
    assert.deepEqual(
      [...refused, ...open].filter((address) => lenient.refuses(address)),
      [],
    );
  });
  it('an IPv4 address inside IPv6, too', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const expected = strict.refuses(address);
        for (const form of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${address}`, `64:ff9b::${hex}`]) {
          assert.equal(strict.refuses(form), expected, form);
        }
        assert.equal(strict.refuses(`::${address}`), true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('lookup', () => {
  const answers = (addresses: LookupAddress[]) =>
    createAddressGuard({
      allowPrivateNetworks: false,
      names: { resolve: async () => addresses },
    });
  const look = (addresses: LookupAddress[], all: boolean) =>
    new Promise<unknown>((resolve) => {
      answers(addresses).lookup('site.test', { all }, (error, found) => resolve(error ?? found));
    });
  const inside = { address: '10.0.0.1', family: 4 };
  const outside = { address: '8.8.8.8', family: 4 };

  it('omits refused addresses', async () => {
    assert.deepEqual(await look([inside, outside], true), [outside]);
    assert.equal(await look([inside, outside], false), '8.8.8.8');
  });
  it('fails when none is left', async () => {
    for (const all of [true, false]) {
      const error = await look([inside], all);
      assert.ok(error instanceof Error);
      assert.equal(error.name, 'AddressRefusedError');
    }
  });
});

describe('a guarded client', () => {
  it('sends nothing to ports of other protocols, even if private networks are allowed', async () => {
    const addressGuard = createAddressGuard({ allowPrivateNetworks: true });
    const httpClient = createHttpClient({ addressGuard, userAgent: 'sitewarden/test' });
    const limiter = createRateLimiter({ requestsPerSecond: 100 });
    const outcome = await createPageFetcher({ httpClient })('http://127.0.0.1:25/', { limiter });
    await httpClient.close();
    assert.deepEqual(outcome, {
      kind: 'failed',
      httpStatus: null,
      contentType: '',
      failure: { code: 'port_refused', params: { port: 25 } },
    });
  });

  it('sends nothing to a refused address, by name or by number', async () => {
    const site = await startTestSite({ '*': '<title>secret</title>' });
    const httpClient = createHttpClient({ addressGuard: strict, userAgent: 'sitewarden/test' });
    try {
      const fetchPage = createPageFetcher({ httpClient });
      const { port } = new URL(site.origin);
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '[::1]']) {
        const limiter = createRateLimiter({ requestsPerSecond: 100 });
        const outcome = await fetchPage(`http://${host}:${port}/`, { limiter });
        assert.equal(outcome.kind, 'failed', host);
        assert.match(
          outcome.kind === 'failed' ? sentenceOf(outcome.failure) : '',
          /is on a private network, which is not allowed here: the operator of this installation can allow it \(SITEWARDEN_ALLOW_PRIVATE_NETWORKS\)$/,
        );
      }
      assert.equal(site.requests.length, 0);
    } finally {
      await httpClient.close();
      await site.stop();
    }
  });
});
