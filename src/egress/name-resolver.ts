import { promises as dns, type LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { codeOf } from '../platform/errors.ts';
import { inTime, inTimeOr } from '../platform/in-time.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import {
  nameFamilyGraceMs,
  nameLookupTimeoutMs,
  nameServerTimeoutMs,
  nameServerTries,
  resolverMaxAgeMs,
  systemLookupTimeoutMs,
} from './limits.ts';

/** Why a name has no address: it has none, its name server failed, or did not respond in time. */
type NameFault = 'name_not_found' | 'name_lookup_failed' | 'name_lookup_timeout';

export class NameLookupError extends Error {
  override readonly name = 'NameLookupError';
  readonly reason: NameFault;

  constructor(hostname: string, reason: NameFault) {
    super(`Looking up ${hostname}: ${reason}`);
    this.reason = reason;
  }
}

export interface NameResolver {
  /**
   * Returns all addresses of a name, in the order in which to try them. Does not block other lookups.
   * @throws NameLookupError
   */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
}

export interface NameResolverOptions {
  /** Name servers as `ADDRESS` or `ADDRESS:PORT`. Default: from the machine. */
  readonly servers?: readonly string[];
  /** The hosts file, which takes precedence over name servers. Default: `/etc/hosts`. */
  readonly hostsFile?: string;
  /** The network interfaces and their addresses. Default: from the machine. */
  readonly interfaces?: typeof networkInterfaces;
  /**
   * Whether names that the name servers do not know are looked up with the system's resolver, one at a time: with search
   * domains, multicast DNS and any other configuration of the machine.
   */
  readonly asksSystem: boolean;
  /** Default: `nameLookupTimeoutMs`. */
  readonly timeoutMs?: number;
}

/**
 * Creates a resolver that queries name servers itself. The system's function (getaddrinfo) blocks a thread while a name server
 * does not respond, and only two threads are available: two such names would block all lookups.
 *
 * Caches nothing: connections are reused, and the machine's name server has a cache.
 */
export function createNameResolver(options: NameResolverOptions): NameResolver {
  const hostsFile = openHostsFile(options.hostsFile ?? '/etc/hosts');
  const interfaces = options.interfaces ?? networkInterfaces;
  const inOrder = (addresses: readonly string[]) => sortByFamily(addresses, hasGlobalIpv6(interfaces()) ? 6 : 4);
  const serverSource = createServerSource(options.servers);
  const systemLookups = createSemaphore(1);
  const timeoutMs = options.timeoutMs ?? nameLookupTimeoutMs;

  return {
    async resolve(hostname) {
      const name = hostname.toLowerCase().replace(/\.$/, '');
      const local = localAddresses(name, hostsFile.addressesOf(name));
      if (local.length > 0) return inOrder(local);
      try {
        return inOrder(await inTime(queryServers(serverSource(), name), timeoutMs, late));
      } catch (error) {
        const fault = new NameLookupError(name, faultOf(error));
        // Do not wait for a server a second time.
        if (!options.asksSystem || fault.reason === 'name_lookup_timeout') throw fault;
        const found = await lookUpWithSystem(name, systemLookups).catch(() => []);
        if (found.length === 0) throw fault;
        return found;
      }
    },
  };
}

/** Returns the addresses of names that are not looked up with name servers, including localhost (RFC 6761, section 6.3). */
function localAddresses(name: string, listed: readonly string[]): readonly string[] {
  const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
  return listed.length === 0 && isLocalhost ? ['127.0.0.1', '::1'] : listed;
}

/** Returns a function that returns a DNS client. For the machine's name servers, it is recreated after `resolverMaxAgeMs`. */
function createServerSource(servers: readonly string[] | undefined): () => dns.Resolver {
  let resolver: dns.Resolver | null = null;
  let madeAt = 0;
  return () => {
    const isOld = servers === undefined && performance.now() - madeAt > resolverMaxAgeMs;
    if (resolver === null || isOld) {
      resolver = new dns.Resolver({ timeout: nameServerTimeoutMs, tries: nameServerTries });
      madeAt = performance.now();
      if (servers !== undefined) resolver.setServers(servers);
    }
    return resolver;
  };
}

/**
 * Queries IPv4 and IPv6 addresses at the same time. After the first response, waits only `nameFamilyGraceMs` for the second,
 * because some name servers ignore one of the two queries.
 * @throws the error of a query when neither returns an address
 */
async function queryServers(resolver: dns.Resolver, name: string): Promise<string[]> {
  const found: string[] = [];
  const collect = async (query: Promise<string[]>): Promise<void> => {
    const addresses = await query.catch((error: unknown) => {
      // ENOTFOUND: the name does not exist. ENODATA: it has no records in this family, so the other query decides.
      if (codeOf(error) === 'ENOTFOUND') return [];
      throw error;
    });
    found.push(...addresses);
  };
  const queries = [collect(resolver.resolve4(name)), collect(resolver.resolve6(name))];
  const both = Promise.allSettled(queries);
  try {
    await Promise.any(queries);
  } catch (error) {
    throw error instanceof AggregateError ? mostUncertain(error.errors) : error;
  }
  await inTimeOr(both, nameFamilyGraceMs, undefined);
  if (found.length === 0) throw notFound();
  return [...found];
}

/** Prefers an error that does not rule out that the name has an address. */
function mostUncertain(errors: readonly unknown[]): unknown {
  return errors.find((error) => !isWithoutAddress(error)) ?? errors[0];
}

function isWithoutAddress(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(error));
}

function faultOf(error: unknown): NameFault {
  if (isWithoutAddress(error)) return 'name_not_found';
  return codeOf(error) === 'ETIMEOUT' ? 'name_lookup_timeout' : 'name_lookup_failed';
}

/** Looks up a name with getaddrinfo. One at a time, because it blocks a thread until it has a response. */
async function lookUpWithSystem(name: string, lookups: Semaphore): Promise<LookupAddress[]> {
  const release = await lookups.acquire('names', AbortSignal.timeout(systemLookupTimeoutMs));
  return inTime(dns.lookup(name, { all: true }).finally(release), systemLookupTimeoutMs, late);
}

/**
 * Sorts addresses: IPv6 first if this machine has a global IPv6 address (RFC 6724), otherwise IPv4 first, because IPv6 would
 * fail.
 */
function sortByFamily(addresses: readonly string[], first: 4 | 6): LookupAddress[] {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return found.sort((a, b) => Number(b.family === first) - Number(a.family === first));
}

/** Link-local (fe80::/10) and unique local addresses (fc00::/7, common in containers) cannot reach the internet. */
function hasGlobalIpv6(interfaces: ReturnType<typeof networkInterfaces>): boolean {
  return Object.values(interfaces).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !/^(fe[89ab]|f[cd])/i.test(address),
    ),
  );
}

function late(): never {
  throw Object.assign(new Error('No response in time'), { code: 'ETIMEOUT' });
}

function notFound(): Error {
  return Object.assign(new Error('The name does not exist'), { code: 'ENOTFOUND' });
}

/** The names and addresses of a hosts file. */
interface HostsFile {
  /** Returns the addresses of a name in the order of the file; empty for an unknown name. */
  addressesOf(hostname: string): readonly string[];
}

/** Opens a hosts file, and reads it again when it has changed. A file that cannot be read has no names. */
function openHostsFile(path: string): HostsFile {
  let version = '';
  let names: ReadonlyMap<string, readonly string[]> = new Map();
  return {
    addressesOf(hostname) {
      const current = versionOf(path);
      if (current !== version) {
        names = readNames(path);
        version = current;
      }
      return names.get(hostname) ?? [];
    },
  };
}

function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Parses the format of hosts(5): each line has an address and its names, and `#` starts a comment. */
function readNames(path: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of readText(path).split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const alias of aliases) {
      const known = names.get(alias.toLowerCase());
      if (known === undefined) names.set(alias.toLowerCase(), [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return names;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
