import { styleText } from 'node:util';
import type { Database } from '../store/database.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import type { Output } from './terminal.ts';
import { columnsOf, widthOf, wrap } from './text-layout.ts';

export interface SummaryOptions {
  readonly output: Output;
  /** Every issue type and every page that could not be checked, with details. */
  readonly verbose: boolean;
}

type Style = Parameters<typeof styleText>[0];

/** Prints the parts of a summary. */
export interface Summary {
  readonly db: Database;
  readonly report: ReportWithChecks;
  readonly verbose: boolean;
  readonly style: (format: Style, text: string) => string;
  readonly line: (text?: string, options?: LineOptions) => void;
}

/** How a line is written. Lines that are too long are broken between words. */
interface LineOptions {
  /** Columns before each part. In the first part, `head` replaces them. */
  readonly indent?: number;
  readonly head?: string;
  readonly style?: Style;
}

/** Creates a summary that is printed to an output, in its width and, if supported, with colors. */
export function createSummary(db: Database, report: ReportWithChecks, { output, verbose }: SummaryOptions): Summary {
  const columns = columnsOf(output);
  const style = (format: Style, text: string): string => styleText(format, text, { stream: output });
  const line: Summary['line'] = (text = '', { indent = 0, head = ' '.repeat(indent), style: format } = {}) => {
    for (const [index, part] of wrap(text, columns - indent, columns - widthOf(head)).entries()) {
      const before = index === 0 ? head : ' '.repeat(indent);
      output.write(`${before}${format === undefined ? part : style(format, part)}\n`);
    }
  };
  return { db, report, verbose, style, line };
}
