import type { Finding, Recounted } from '../store/recount/recount.ts';
import { ExitStatus } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

/** Prints the state of a part: its problem, or what was found. */
export type PrintPart = (part: string, problem: string | null, found?: string) => void;

export interface DoctorOutput {
  readonly print: PrintPart;
  /** Prints what is wrong in the database. */
  readonly printFinding: (finding: Finding) => void;
  /** Shows what is being done, on a terminal. */
  readonly progress: (text: string) => void;
  /** @param recounted how much was examined; null without `--deep` */
  readonly printSums: (recounted: Recounted) => void;
  /** Completes the output. */
  readonly end: () => void;
}

/** Creates the output of `doctor`: lines, or one JSON document. A problem sets the exit status. */
export function doctorOutput(terminal: Terminal, format: 'text' | 'json'): DoctorOutput {
  const { stdout, stderr } = terminal;
  const parts: { readonly part: string; readonly ok: boolean; readonly text: string }[] = [];
  const findings: Finding[] = [];
  let recounted: Recounted | null = null;
  const isText = format === 'text';
  const progress = (text: string): void => {
    if (stderr.isTTY === true) stderr.write(`\r\u001b[2K${text}`);
  };
  const fail = (): void => {
    terminal.exitStatus ??= ExitStatus.fault;
  };
  return {
    progress,
    print(part, problem, found = '') {
      progress('');
      parts.push({ part, ok: problem === null, text: problem ?? found });
      if (isText) stdout.write(`${problem === null ? 'ok  ' : 'FAIL'}  ${part.padEnd(10)}${problem ?? found}\n`);
      if (problem !== null) fail();
    },
    printFinding(finding) {
      if (isText) stdout.write(`      ${lineOf(finding)}\n`);
      else findings.push(finding);
    },
    printSums: (of) => {
      recounted = of;
    },
    end() {
      if (isText) return;
      stdout.write(`${JSON.stringify({ parts, ...(recounted !== null && { recounted, findings }) }, null, 2)}\n`);
    },
  };
}

function lineOf({ what, report_id: reportId, stored, counted }: Finding): string {
  const numbers = stored === null || counted === null ? '' : `: ${stored.join(', ')} instead of ${counted.join(', ')}`;
  return `${reportId === null ? '' : `report ${reportId}: `}${what}${numbers}`;
}
