import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_LIMITS, PLANS } from '../../src/accounts/plans.ts';
import { ExitStatus } from '../../src/commands/exit-status.ts';
import { createProgram } from '../../src/commands/program.ts';
import { EXPORT_FORMAT_NAMES } from '../../src/domain/export-formats.ts';
import { CHECK_FAIL_ON } from '../../src/domain/fail-on.ts';
import { collectingTerminal } from '../helpers/run-here.ts';

/** Pages of the reference have what the code has, and nothing else. */

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const program = createProgram(collectingTerminal().terminal);

test('docs/cli.md lists every command', () => {
  const text = page('cli.md');
  const rows = all(text, /^\| `([a-z-]+)[^|]*\|.*\|.*\|$/gm).filter((name) => name !== 'name');
  const names = program.commands.map((command) => command.name()).filter((name) => name !== 'help');
  const listed = new Set([...rows, ...all(text, /`(restore) FILE`/g)]);
  assert.deepEqual([...listed].sort(), names.toSorted());
  for (const command of program.commands.filter(({ commands }) => commands.length > 0)) {
    const [row = ''] = all(text, new RegExp(`^\\| (\`${command.name()} .*)\\|.*\\|$`, 'gm'));
    const subcommands = command.commands.map((each) => each.name()).filter((name) => name !== 'help');
    assert.deepEqual(all(row.replaceAll(`${command.name()} `, ''), /`([a-z]+)`/g).sort(), subcommands.toSorted());
  }
});

test('docs/cli.md lists every option of check, what --fail-on takes, and every format', () => {
  const text = page('cli.md');
  const check = program.commands.find((command) => command.name() === 'check');
  // An option that is on by default is listed by its negation.
  const options = (check?.options ?? []).map(({ long }) => long ?? '').filter((long) => !['--a11y'].includes(long));
  const listed = new Set(all(text.slice(text.indexOf('## `check`')), /(--[a-z][a-z\d-]+)/g));
  assert.deepEqual([...listed].sort(), options.toSorted());
  const [, values = ''] = text.split('| in `--fail-on` |');
  assert.deepEqual(all(values.split('###')[0] ?? '', /(?<=^\|[^|]*)`([a-z]+)`/gm).sort(), CHECK_FAIL_ON.toSorted());
  for (const name of EXPORT_FORMAT_NAMES) assert.ok(text.includes(`\`${name}\``), name);
});

test('docs/exit-codes.md lists every exit status', () => {
  const statuses = new Set<number>(Object.values(ExitStatus));
  assert.deepEqual(
    all(page('exit-codes.md'), /^\| (\d+) \|/gm).map(Number),
    [...statuses].sort((a, b) => a - b),
  );
});

test('docs/plans.md has the limits of all plans', () => {
  const text = page('plans.md');
  const rows = [...text.matchAll(/^\| `(\w+)`.*? \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map(
    ([, name = '', ...cells]) => [name, cells.map((cell) => Number(cell.replaceAll(',', '')))],
  );
  const limits = PLANS.map((plan) => Object.entries(DEFAULT_LIMITS[plan]));
  const expected = (limits[0] ?? []).map(([name], index) => [name, limits.map((plan) => plan[index]?.[1])]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(expected));
});
