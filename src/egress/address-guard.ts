import { BlockList, isIP, type LookupFunction } from 'node:net';
import { createNameResolver, type NameResolver } from './name-resolver.ts';

/** Nobody was contacted: the host has no address that requests may go to. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ERR_ADDRESS_REFUSED';

  constructor(host: string) {
    super(`${host} is on a private network, which is not allowed here`);
  }
}

export interface AddressGuard {
  /** Whether connections to this IPv4 or IPv6 address are refused. Anything that is no address is refused. */
  refuses(address: string): boolean;
  /**
   * Looks a name up and leaves out the refused addresses. To be used by the connection itself, so that the address that
   * was judged is the address that is connected to. Fails with AddressRefusedError when none is left, and with
   * NameLookupError. Connections to literal addresses never look anything up: ask `refuses` for them.
   */
  readonly lookup: LookupFunction;
}

/**
 * IPv4 addresses that are not somewhere on the public internet: the IANA IPv4 Special-Purpose Address Registry without
 * its globally reachable blocks, multicast, and one address that a cloud uses for its hosts.
 */
const refusedIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network (RFC 791)
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // shared by carriers (RFC 6598)
  ['127.0.0.0', 8], // loopback (RFC 1122)
  ['168.63.129.16', 32], // the host of a virtual machine in Azure
  ['169.254.0.0', 16], // link-local, with the clouds' metadata services (RFC 3927)
  ['172.16.0.0', 12], // private (RFC 1918)
  ['192.0.0.0', 24], // protocol assignments (RFC 6890)
  ['192.0.2.0', 24], // documentation (RFC 5737)
  ['192.88.99.0', 24], // former 6to4 relays (RFC 7526)
  ['192.168.0.0', 16], // private (RFC 1918)
  ['198.18.0.0', 15], // benchmarks (RFC 2544)
  ['198.51.100.0', 24], // documentation (RFC 5737)
  ['203.0.113.0', 24], // documentation (RFC 5737)
  ['224.0.0.0', 4], // multicast (RFC 1112)
  ['240.0.0.0', 4], // reserved, with the broadcast address (RFC 1112, RFC 919)
];

/** Inside 2000::/3, the only IPv6 block of public addresses, what is not on the public internet. */
const refusedIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments, with Teredo, benchmarks and ORCHID (RFC 2928)
  ['2001:db8::', 32], // documentation (RFC 3849)
  ['2002::', 16], // 6to4: carries an IPv4 address, and is no longer routed (RFC 7526)
  ['3fff::', 20], // documentation (RFC 9637)
];

const refused = blockList(refusedIpv4, refusedIpv6);
const publicIpv6 = blockList([], [['2000::', 3]]);
/** Names behind NAT64 look like this where only IPv6 is spoken; the last 32 bits are the IPv4 address (RFC 6052). */
const nat64 = blockList([], [['64:ff9b::', 96]]);
const mappedIpv4 = blockList([], [['::ffff:0:0', 96]]);

/**
 * Decides which addresses requests may go to.
 *
 * @param options.allowPrivateNetworks lets everything through: for an installation whose users check sites of their own
 *   network
 * @param options.names the name look-up; by the machine's own name servers unless given
 */
export function createAddressGuard(options: {
  readonly allowPrivateNetworks: boolean;
  readonly names?: NameResolver;
}): AddressGuard {
  const { allowPrivateNetworks } = options;
  // What only the machine's other sources of names know is on its private network.
  const names = options.names ?? createNameResolver({ asksSystem: allowPrivateNetworks });
  const refuses = (address: string) => !allowPrivateNetworks && isRefused(address);
  return {
    refuses,
    lookup(hostname, lookupOptions, callback) {
      names.resolve(hostname).then(
        (addresses) => {
          const allowed = addresses.filter(({ address }) => !refuses(address));
          const [first] = allowed;
          if (first === undefined) callback(new AddressRefusedError(hostname), []);
          else if (lookupOptions.all === true) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, []),
      );
    },
  };
}

function isRefused(address: string): boolean {
  // A zone names a network interface, which only addresses of the local network have.
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) return refused.check(address, 'ipv4');
  if (family !== 6) return true;
  if (nat64.check(address, 'ipv6') || mappedIpv4.check(address, 'ipv6')) {
    return refused.check(lastFourBytes(address), 'ipv4');
  }
  return !publicIpv6.check(address, 'ipv6') || refused.check(address, 'ipv6');
}

/** The last 32 bits of an IPv6 address in IPv4 notation. */
function lastFourBytes(address: string): string {
  // The URL parser writes every IPv6 address in one form, without a dotted tail.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  const bits = ((high ?? 0) << 16) | (low ?? 0);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function blockList(
  ipv4: readonly (readonly [string, number])[],
  ipv6: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}
