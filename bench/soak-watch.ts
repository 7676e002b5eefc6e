/** Memory and log of the processes of `bench/soak.ts`. */
import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MIB = 2 ** 20;
const PERIOD_MS = 120_000;

interface MemoryWatch {
  print(): void;
  stop(): void;
}

/** Samples the memory of processes, and of groups of child processes, of which shared memory counts once. */
export function memoryOf(
  processes: Readonly<Record<string, () => number | null>>,
  groups: Readonly<Record<string, () => readonly number[]>>,
  everyMs: number,
): MemoryWatch {
  const names = [...Object.keys(processes), ...Object.keys(groups)];
  const begunAt = Date.now();
  const samples: { readonly at: number; readonly mib: readonly number[] }[] = [];
  const timer = setInterval(() => {
    const own = Object.values(processes).map((pidOf) => residentMib(pidOf()));
    const shared = Object.values(groups).map((pidsOf) => pidsOf().reduce((sum, pid) => sum + proportionalMib(pid), 0));
    samples.push({ at: Date.now() - begunAt, mib: [...own, ...shared] });
  }, everyMs);
  return {
    print() {
      console.log(
        `\nmemory in MiB, median and maximum of each two minutes\nminute  ${names.map((name) => name.padStart(14)).join('')}`,
      );
      for (const [period, of] of Map.groupBy(samples, ({ at }) => Math.floor(at / PERIOD_MS))) {
        const columns = names.map((_, at) => {
          const values = of.map(({ mib }) => mib[at] ?? 0).toSorted((one, other) => one - other);
          const median = values[Math.floor(values.length / 2)] ?? 0;
          return `${median.toFixed(0)}, ${(values.at(-1) ?? 0).toFixed(0)}`.padStart(14);
        });
        console.log(`${String((period * PERIOD_MS) / 60_000).padEnd(8)}${columns.join('')}`);
      }
    },
    stop: () => clearInterval(timer),
  };
}

function residentMib(pid: number | null): number {
  return (Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES) / MIB;
}

function proportionalMib(pid: number): number {
  return Number(/^Pss: *(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024;
}

/** Empty for a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Prints how often each message was logged at a level or above. */
export function printLog(log: string, level: number): void {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    const { level: of, msg, reason = '' } = entryOf(line);
    if (of === undefined ? line === '' : of < level) continue;
    const what = of === undefined ? line.slice(0, 200) : `${msg}: ${String(reason).slice(0, 160)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  console.log('\nlog: errors, and lines that are not JSON');
  for (const [what, count] of [...counts].toSorted(([, one], [, other]) => other - one))
    console.log(`${count} × ${what}`);
}

function entryOf(line: string): { readonly level?: number; readonly msg?: string; readonly reason?: string } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
