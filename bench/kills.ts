/**
 * Kills random processes of a running service while it works on reports, and compares each report with an undisturbed one. Prints
 * one line per kind of process; exits with 1 on any difference.
 *
 *   npm run bench:kills -- [--kills N] [--seed N] [--pages N]
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VICTIMS, type Victim } from '../test/helpers/fleet.ts';
import { startKilling } from '../test/helpers/killing.ts';

/** Stops after this many: the service may be broken, and the first differences show why. */
const DIFFERENCES_MAX = 3;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    pages: { type: 'string', default: '40' },
  },
});
const killsWanted = Number(values.kills);
const seed = Number(values.seed);
const pages = Number(values.pages);
console.log(`${killsWanted} kills, reports of ${pages} pages, seed ${seed}\n`);

const from = performance.now();
const killing = await startKilling({ pages, seed });
const killed: { readonly victim: Victim; readonly isSame: boolean }[] = [];
let differences = 0;
let left: readonly number[] = [];
try {
  for (let number = 1; killed.length < killsWanted && differences < DIFFERENCES_MAX; number += 1) {
    const startedAt = performance.now();
    const { kills, difference } = await killing.report(killsWanted - killed.length);
    killed.push(...kills.map((victim) => ({ victim, isSame: difference === null })));
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(
      `report ${number}: ${difference === null ? 'the same' : 'DIFFERENT'}, ${seconds} s, ${kills.join(' ')}`,
    );
    if (difference === null) continue;
    differences += 1;
    const file = join(tmpdir(), `sitewarden-kills-${seed}-${number}.log`);
    await writeFile(file, killing.log());
    console.log(`${difference}\nThe output of the processes is in ${file}\n`);
  }
} finally {
  left = await killing.stop();
}

console.log('\nvictim      kills  in reports that ended the same  in others');
for (const victim of VICTIMS) {
  const ofKind = killed.filter((kill) => kill.victim === victim);
  const same = ofKind.filter(({ isSame }) => isSame).length;
  const columns = [
    String(ofKind.length).padStart(5),
    String(same).padStart(31),
    String(ofKind.length - same).padStart(9),
  ];
  console.log(`${victim.padEnd(12)}${columns.join('  ')}`);
}
const minutes = ((performance.now() - from) / 60_000).toFixed(1);
console.log(
  `\n${killed.length} kills in ${minutes} minutes, ${differences} reports different, ${left.length} processes left`,
);
if (differences > 0 || left.length > 0) process.exitCode = 1;
