import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** The addresses that the machine itself has for names, as in `/etc/hosts`. */
export interface HostsFile {
  /** In the order of the file; empty for a name that is not in it. */
  addressesOf(hostname: string): readonly string[];
}

/** Reads the file again whenever it has changed. A file that cannot be read has no names. */
export function openHostsFile(path: string): HostsFile {
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

/** hosts(5): an address and its names in each line, with comments behind `#`. */
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
