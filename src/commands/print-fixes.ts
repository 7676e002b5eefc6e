import type { NewFix } from '../store/fixes.ts';
import { findWebPage } from '../store/web-pages.ts';
import { messageLine, sourceLine } from './print-kind.ts';
import type { Summary } from './summary-output.ts';
import { plural } from './text-layout.ts';

const FIXES_SHOWN = 3;
/** Columns before what is said about a fix, which hold its number. */
const INDENT = 5;

/** A fix with the pages that pass before it and after it, once those before it in the plan are done. */
interface Step {
  readonly fix: NewFix;
  readonly before: number;
  readonly after: number;
}

/**
 * Prints what to fix first: the first fixes of the plan, up to the last of them that makes a page pass. Prints nothing if none
 * does, or for a single page, where the list of issues says the same.
 */
export async function printFixes({ db, report, line }: Summary, fixes: readonly NewFix[]): Promise<void> {
  const steps = stepsOf(fixes).slice(0, FIXES_SHOWN);
  const shown = steps.slice(0, steps.findLastIndex(({ before, after }) => after > before) + 1);
  if (report.num_pages < 2 || shown.length === 0) return;
  line();
  line('Fix first', { style: 'bold' });
  for (const [index, { fix, before, after }] of shown.entries()) {
    const dim = (text: string): void => line(text, { indent: INDENT, style: 'dim' });
    line(messageLine(fix.message), { indent: INDENT, head: `  ${index + 1}. ` });
    const where = [fix.selector, fix.markup].filter((text) => text !== null && text !== '');
    if (where.length > 0) dim(where.map((text) => sourceLine(text ?? '')).join('  '));
    const sample = await findWebPage(db, report.id, fix.sample_page_id);
    const example = sample === undefined ? '' : `${fix.num_web_pages > 1 ? ', such as' : ':'} ${sample.url}`;
    dim(`${plural(fix.how_many, 'place')} on ${plural(fix.num_web_pages, 'page')}${example}`);
    line(`${before} → ${after} of ${plural(report.num_pages, 'page')} pass`, { indent: INDENT, style: 'green' });
  }
}

function stepsOf(fixes: readonly NewFix[]): Step[] {
  return fixes.map((fix, index) => {
    const before = fixes[index - 1]?.passing_after_plan ?? fix.passing_before;
    return { fix, before, after: fix.passing_after_plan };
  });
}
