import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../platform/errors.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import { openHostsFile } from './hosts-file.ts';
import {
  nameFamilyGraceMs,
  nameLookupTimeoutMs,
  nameServerTimeoutMs,
  nameServerTries,
  resolverMaxAgeMs,
  systemLookupTimeoutMs,
} from './limits.ts';

/** Why a name gave no address: it has none, its name server answered that it cannot tell, or did not answer in time. */
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
   * All addresses of a name, in the order in which to try them. Takes `timeoutMs` at most, and keeps nobody
   * else waiting meanwhile.
   * @throws NameLookupError
   */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
}

export interface NameResolverOptions {
  /** Name servers as `ADDRESS` or `ADDRESS:PORT`; those of the machine unless given. */
  readonly servers?: readonly string[];
  /** The file of names that go before those of the name servers. */
  readonly hostsFile?: string;
  /** The network interfaces and their addresses; those of the machine unless given. */
  readonly interfaces?: typeof networkInterfaces;
  /**
   * Whether a name that the name servers do not know is looked up as other programs of the machine do it: with search
   * domains, multicast DNS and whatever else is configured there. One name at a time.
   */
  readonly asksSystem: boolean;
  /** `nameLookupTimeoutMs` unless given. */
  readonly timeoutMs?: number;
}

/**
 * Looks names up without the system's own function. That one occupies a thread for as long as a name server is silent,
 * and the process has two for this purpose: two silent names would hold up everybody.
 *
 * Nothing is kept: connections are, and the machine's resolver remembers what it was asked.
 */
export function createNameResolver(options: NameResolverOptions): NameResolver {
  const hostsFile = openHostsFile(options.hostsFile ?? '/etc/hosts');
  const interfaces = options.interfaces ?? networkInterfaces;
  const inOrder = (addresses: readonly string[]) => sortByFamily(addresses, hasGlobalIpv6(interfaces()) ? 6 : 4);
  const serverSource = createServerSource(options.servers);
  const systemTurn = createSemaphore(1);
  const timeoutMs = options.timeoutMs ?? nameLookupTimeoutMs;

  return {
    async resolve(hostname) {
      const name = hostname.toLowerCase().replace(/\.$/, '');
      const local = localAddresses(name, hostsFile.addressesOf(name));
      if (local.length > 0) return inOrder(local);
      try {
        return inOrder(await inTime(askServers(serverSource(), name), timeoutMs));
      } catch (error) {
        const fault = new NameLookupError(name, faultOf(error));
        // A server that was silent is not waited for a second time.
        if (!options.asksSystem || fault.reason === 'name_lookup_timeout') throw fault;
        const found = await askSystem(name, systemTurn).catch(() => []);
        if (found.length === 0) throw fault;
        return found;
      }
    },
  };
}

/** RFC 6761, 6.3: no name server is asked for these, whether or not they are in the file. */
function localAddresses(name: string, listed: readonly string[]): readonly string[] {
  const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
  return listed.length === 0 && isLocalhost ? ['127.0.0.1', '::1'] : listed;
}

/** A client for the name servers. One for the machine's is made anew now and then, since the machine may change networks. */
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
 * Asks for both families at once. When one has given an answer about the name, the other is waited for only a little
 * longer: some name servers answer one kind of question and ignore the other.
 * @throws what the resolver throws, where neither gives an address
 */
async function askServers(resolver: dns.Resolver, name: string): Promise<string[]> {
  const found: string[] = [];
  const take = async (question: Promise<string[]>): Promise<void> => {
    const addresses = await question.catch((error: unknown) => {
      // The name does not exist, in neither family. Without records in this one (ENODATA), the other decides.
      if (codeOf(error) === 'ENOTFOUND') return [];
      throw error;
    });
    found.push(...addresses);
  };
  const questions = [take(resolver.resolve4(name)), take(resolver.resolve6(name))];
  const both = Promise.allSettled(questions);
  try {
    await Promise.any(questions);
  } catch (error) {
    throw error instanceof AggregateError ? gravest(error.errors) : error;
  }
  const grace = new AbortController();
  await Promise.race([both, delay(nameFamilyGraceMs, undefined, { signal: grace.signal })]);
  grace.abort();
  if (found.length === 0) throw notFound();
  return [...found];
}

/** Of what two questions failed with, what leaves the most open. */
function gravest(errors: readonly unknown[]): unknown {
  return errors.find((error) => !isWithoutAddress(error)) ?? errors[0];
}

function isWithoutAddress(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(error));
}

function faultOf(error: unknown): NameFault {
  if (isWithoutAddress(error)) return 'name_not_found';
  return codeOf(error) === 'ETIMEOUT' ? 'name_lookup_timeout' : 'name_lookup_failed';
}

/** As other programs of the machine do. The thread is occupied until the system has an answer, so only one ever is. */
async function askSystem(name: string, turn: Semaphore): Promise<LookupAddress[]> {
  const leave = await turn.acquire('names', AbortSignal.timeout(systemLookupTimeoutMs));
  return inTime(dns.lookup(name, { all: true }).finally(leave), systemLookupTimeoutMs);
}

/**
 * IPv6 goes first where this machine has a global address of it, as in RFC 6724; else last, so that attempts that cannot
 * succeed cost nothing.
 */
function sortByFamily(addresses: readonly string[], first: 4 | 6): LookupAddress[] {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return found.sort((a, b) => Number(b.family === first) - Number(a.family === first));
}

/** Link-local (fe80::/10) and unique local (fc00::/7, common in containers) addresses do not reach the internet. */
function hasGlobalIpv6(interfaces: ReturnType<typeof networkInterfaces>): boolean {
  return Object.values(interfaces).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !/^(fe[89ab]|f[cd])/i.test(address),
    ),
  );
}

/** @throws an error with the code ETIMEOUT when the promise takes longer */
async function inTime<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  const timer = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw Object.assign(new Error('No answer in time'), { code: 'ETIMEOUT' });
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timer.abort();
  }
}

function notFound(): Error {
  return Object.assign(new Error('The name does not exist'), { code: 'ENOTFOUND' });
}
