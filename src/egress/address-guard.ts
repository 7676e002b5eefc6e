import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isLoopback } from '../platform/loopback.ts';
import { createNameResolver, type NameResolver } from './name-resolver.ts';

/** Thrown before connecting when a host has no allowed address. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ERR_ADDRESS_REFUSED';

  constructor(host: string) {
    super(`${host} is on a private network, which is not allowed here`);
  }
}

export interface AddressGuard {
  /** Returns whether connections to an IPv4 or IPv6 address are refused. Refuses anything that is not an address. */
  refuses(address: string): boolean;
  /**
   * Looks up a name and omits refused addresses. Pass it to the connection, so that it connects to the addresses that were
   * checked. Fails with NameLookupError, or with AddressRefusedError when no address is left. Connections to literal addresses
   * do not call it: use `refuses` for them.
   */
  readonly lookup: LookupFunction;
}

/**
 * IPv4 addresses that are not on the public internet: the IANA IPv4 Special-Purpose Address Registry without its globally
 * reachable blocks, plus multicast and an Azure host address.
 */
const refusedIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network (RFC 791)
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // carrier-grade NAT (RFC 6598)
  ['127.0.0.0', 8], // loopback (RFC 1122)
  ['168.63.129.16', 32], // host of virtual machines in Azure
  ['169.254.0.0', 16], // link-local, including cloud metadata services (RFC 3927)
  ['172.16.0.0', 12], // private (RFC 1918)
  ['192.0.0.0', 24], // protocol assignments (RFC 6890)
  ['192.0.2.0', 24], // documentation (RFC 5737)
  ['192.88.99.0', 24], // former 6to4 relays (RFC 7526)
  ['192.168.0.0', 16], // private (RFC 1918)
  ['198.18.0.0', 15], // benchmarks (RFC 2544)
  ['198.51.100.0', 24], // documentation (RFC 5737)
  ['203.0.113.0', 24], // documentation (RFC 5737)
  ['224.0.0.0', 4], // multicast (RFC 1112)
  ['240.0.0.0', 4], // reserved, including broadcast (RFC 1112, RFC 919)
];

/** IPv6 addresses in 2000::/3, the only public block, that are not on the public internet. */
const refusedIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments, including Teredo, benchmarks and ORCHID (RFC 2928)
  ['2001:db8::', 32], // documentation (RFC 3849)
  ['2002::', 16], // 6to4: contains an IPv4 address, and is no longer routed (RFC 7526)
  ['3fff::', 20], // documentation (RFC 9637)
];

const refused = blockList(refusedIpv4, refusedIpv6);
const publicIpv6 = blockList([], [['2000::', 3]]);
/** NAT64 in IPv6-only networks: the last 32 bits are an IPv4 address (RFC 6052). */
const nat64 = blockList([], [['64:ff9b::', 96]]);
const mappedIpv4 = blockList([], [['::ffff:0:0', 96]]);

/**
 * Creates the guard that decides which addresses requests can connect to.
 * @param options.allowPrivateNetworks allows all addresses, for installations that check sites on their own network
 * @param options.names default: the machine's name servers
 */
export function createAddressGuard(options: {
  readonly allowPrivateNetworks: boolean;
  readonly names?: NameResolver;
}): AddressGuard {
  const { allowPrivateNetworks } = options;
  // Names that are not in DNS are on the private network.
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

/**
 * Whether a host of a URL is an address that is not on the public internet, or this machine by name. Other names have to be
 * looked up.
 * @param hostname as in `URL.hostname`: IPv6 in brackets
 */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isLoopback(address) || (isIP(address) !== 0 && isRefused(address));
}

function isRefused(address: string): boolean {
  // Only addresses of the local network have a zone, which names a network interface.
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) return refused.check(address, 'ipv4');
  if (family !== 6) return true;
  if (nat64.check(address, 'ipv6') || mappedIpv4.check(address, 'ipv6')) {
    return refused.check(lastFourBytes(address), 'ipv4');
  }
  return !publicIpv6.check(address, 'ipv6') || refused.check(address, 'ipv6');
}

/** Returns the last 32 bits of an IPv6 address in IPv4 notation. */
function lastFourBytes(address: string): string {
  // The URL parser normalizes IPv6 addresses, without a dotted suffix.
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

/**
 * Ports of other protocols, such as SMTP, that browsers refuse to connect to (Fetch Standard, "bad port").
 */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Returns whether requests can connect to a port from 0 to 65,535. */
export function isAllowedPort(port: number): boolean {
  return !badPorts.has(port);
}
