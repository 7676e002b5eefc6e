import { pageName } from '../../packages/client/marks.ts';
import { causeOf, type ShownOccurrence, styleRuleWords } from '../../packages/client/occurrences.ts';
import { severeFreeWords } from '../../packages/client/severe-free.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { occurrenceTextMaxCharacters } from '../checks/limits.ts';
import { alsoFixedWords, effectOfError, engineOf, measuredByIn } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import {
  errorsIn,
  foundIn,
  impactCounts,
  pageWords,
  passedPages,
  severeFree,
  severityOf,
  severityWords,
  warningWords,
} from '../domain/counts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { fixEffectWords } from '../domain/fix-effect.ts';
import { escapeMarkup } from '../platform/escape-markup.ts';
import { oneLine } from '../platform/shorten.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import type { ListedFix } from '../store/issues/fixes.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { HTML_STYLE } from './html-style.ts';
import { leadingFixes } from './leading-fixes.ts';
import {
  type ExportedIssue,
  gradedCounts,
  type PageWithIssues,
  type ReportModel,
  seenAs,
  shownOccurrences,
  uncheckedOf,
} from './report-model.ts';
import { reviewedNote } from './reviewed-note.ts';
import { messageMaxCharacters } from './texts.ts';

/** Maximum numbers of items to show. `csv` has all. */
interface HtmlLimits {
  /** Issue types of each check. */
  readonly issueTypesMax: number;
  /** Fixes after the first ones, in a line each. */
  readonly furtherFixesMax: number;
  readonly pagesMax: number;
}

/** More types than anyone reads. */
const HTML_LIMITS: HtmlLimits = {
  issueTypesMax: 500,
  furtherFixesMax: Number.POSITIVE_INFINITY,
  pagesMax: Number.POSITIVE_INFINITY,
};
/** Occurrences of each issue type. */
const OCCURRENCES_MAX = 5;
/** Fixes with all details. */
const FIXES_MAX = 10;

/** Precedes words, so that severity is not only a color. */
const SHAPES: Readonly<Record<string, string>> = {
  ...{ critical: '⬣', serious: '▲', moderate: '◆', minor: '○', error: '■', warning: '△', needs_review: '?' },
};

/** Yields a report as a self-contained web page: one file without scripts and requests, for a browser, a phone or paper. */
export async function* writeHtml(
  model: ReportModel,
  outcome: CheckOutcome | null,
  limits = HTML_LIMITS,
): AsyncGenerator<string> {
  const { report, engines } = model;
  const address = report.starting_url;
  yield `${htmlHead(`Report on ${address}`)}<header>\n<h1>Report on ${linked(address)}</h1>\n`;
  const pages = report.finished_at === null ? plural(report.num_pages, 'page') : pageWords(report);
  yield `<p>${report.status === 'failed' ? '' : `${pages}, `}${dateOf(report.finished_at ?? report.inserted_at)}. Automated checks find only some barriers.</p>\n`;
  if (report.status === 'failed') {
    const reason = fullSentenceOf(report.crawl_error) ?? 'No page of the site could be checked.';
    yield `</header>\n<main>\n<p>${shown(reason)}</p>\n</main>\n</body>\n</html>\n`;
    return;
  }
  const measured = measuredByIn(report);
  if (measured !== '') yield `<p>${shown(measured)}</p>\n`;
  const early = fullSentenceOf(report.crawl_error);
  if (early !== null) yield `<p>${severity('warning', shown(early))}</p>\n`;
  if (outcome !== null) yield `<p><strong>${shown(outcome.verdict)}</strong></p>\n`;
  const sections = [...engines.map(({ kind, title }) => [kind, title] as const), ['pages', 'Pages'] as const];
  const links = sections.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('');
  yield `<nav aria-label="Contents"><ul>${links}</ul></nav>\n</header>\n<main>\n${summaryOf(model)}${await reviewedOf(model)}`;
  yield* fixesOf(model, limits);
  for (const engine of engines) yield* kindsOf(model, engine, limits);
  yield* pagesOf(model, limits);
  yield '</main>\n</body>\n</html>\n';
}

/** Returns the beginning of a self-contained page, up to its body. */
export function htmlHead(title: string): string {
  return `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${shown(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${HTML_STYLE}</style>\n</head>\n<body>\n`;
}

async function reviewedOf(model: ReportModel): Promise<string> {
  return reviewedNote(await model.reviewed())
    .map((note) => `<p>${note}</p>\n`)
    .join('');
}

function summaryOf({ report, engines }: ReportModel): string {
  const rows = engines.flatMap(({ kind, title, isGraded }) => {
    const counts = report.checks[kind];
    if (counts === undefined) return [];
    const { checked, failed, pending } = counts;
    const found = foundIn(counts, isGraded);
    const graded = impactCounts(found)
      .filter(([, errors]) => errors > 0)
      .map(([impact, errors]) => severity(impact, `${errors.toLocaleString('en')} ${impact}`))
      .join(', ');
    const cells = [
      [
        `${formatNumber(passedPages(counts))} of ${plural(checked, 'checked page')}`,
        ...(failed > 0 ? [`${formatNumber(failed)} could not be checked`] : []),
        ...(pending > 0 ? [`${formatNumber(pending)} not checked yet`] : []),
      ].join('; '),
      `${plural(found.errors, 'error')}${graded === '' ? '' : `: ${graded}`}<br>${warningWords(found)}`,
    ];
    return [`<tr><th scope="row">${title}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`];
  });
  const head = '<tr><th scope="col">Check</th><th scope="col">Passing pages</th><th scope="col">Found</th></tr>';
  const free = severeFree(gradedCounts({ report, engines }));
  const severe = free === null ? '' : `<p>${severeFreeWords(free)}.</p>\n`;
  return `<h2>Summary</h2>\n<table>\n<thead>${head}</thead>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n${severe}`;
}

async function* fixesOf(model: ReportModel, { furtherFixesMax }: HtmlLimits): AsyncGenerator<string> {
  const { report } = model;
  const { fixes, others, unplanned } = await leadingFixes(model, FIXES_MAX);
  if (fixes.length === 0) return;
  const all = { pages: report.checked_pages ?? report.num_pages, errors: errorsIn(Object.values(report.checks)) };
  const extentOf = (fix: ListedFix): string => {
    const also = alsoFixedWords(fix, (message) => `“${shown(message)}”`);
    const where = `${plural(fix.how_many, 'occurrence')} on ${plural(fix.num_web_pages, 'page')}${also}`;
    return `<span class="soft">${where}; ${fixEffectWords(fix, all)}</span>`;
  };
  yield '<h2>Fix first</h2>\n<ol class="fixes">\n';
  for (const fix of fixes) {
    const remedy = engineOf(fix.kind).issues.remedyOf({ ...fix, issue_type: 'error' });
    const how = [effectOfError(fix).words, remedy]
      .map((words) => (words === null ? '' : `<br>${shown(words)}`))
      .join('');
    const text = `<strong>${shown(fix.message)}</strong>${how}<br>${causeIn(fix)}<br>`;
    yield `<li value="${fix.position}">${text}${extentOf(fix)}</li>\n`;
  }
  yield '</ol>\n';
  const further = others.slice(0, furtherFixesMax);
  if (further.length > 0) {
    yield `<h3>Further fixes</h3>\n<p>Each effect assumes that all fixes before it in the plan are made.</p>\n<ol class="fixes">\n`;
    for (const fix of further) {
      yield `<li value="${fix.position}">${shown(fix.message)}<br>${causeIn(fix)}<br>${extentOf(fix)}</li>\n`;
    }
    yield '</ol>\n';
  }
  const unlisted = others.length - further.length + unplanned;
  if (unlisted > 0) yield `<p>${plural(unlisted, 'more cause')} of errors in the lists below.</p>\n`;
}

function causeIn(fix: ListedFix): string {
  const rule = styleRuleWords(fix, codeOf, fix.how_many);
  return `${fix.markup_differs ? 'such as ' : ''}${codeOf(causeOf(fix))}${rule === '' ? '' : `, ${rule}`}`;
}

async function* kindsOf(
  model: ReportModel,
  engine: EngineDescription,
  { issueTypesMax }: HtmlLimits,
): AsyncGenerator<string> {
  yield `<h2 id="${engine.kind}">${engine.title}</h2>\n`;
  let number = 0;
  for await (const issueType of model.issueTypes(engine)) {
    number += 1;
    if (number > issueTypesMax) {
      yield `<p>And ${plural((await model.countIssueTypes(engine)) - issueTypesMax, 'more issue type')}.</p>\n`;
      return;
    }
    yield headOf(engine, issueType);
    yield* occurrencesOf(model, issueType);
  }
  if (number === 0) yield `<p class="pass">✓ No issues found.</p>\n`;
}

function headOf({ issues }: EngineDescription, issueType: CommonIssueRow): string {
  const { issue_type: type, impact, verdict, how_many: occurrences, num_web_pages: pages, help_url: help } = issueType;
  const level = severity(severityOf(type, impact), severityWords(type, impact, verdict));
  const counts = `${plural(occurrences, 'occurrence')} on ${plural(pages, 'page')}`;
  const more = help === null ? '' : ` · ${linked(help, `About the rule: ${issueType.rule_id ?? 'help'}`)}`;
  const remedy = issues.remedyOf(issueType);
  const { words: effect } = issues.effectOf(issueType);
  const how = [effect, remedy].map((words) => (words === null ? '' : `<p>${shown(words)}</p>\n`)).join('');
  return `<h3>${shown(issueType.message)}</h3>\n<p>${level} · ${counts}${more}</p>\n${how}`;
}

async function* occurrencesOf(model: ReportModel, issueType: CommonIssueRow): AsyncGenerator<string> {
  let listed = 0;
  yield '<ul>\n';
  for await (const issue of model.firstIssues(issueType, OCCURRENCES_MAX)) {
    for (const occurrence of shownOccurrences(issue).take(OCCURRENCES_MAX - listed)) {
      listed += 1;
      yield `<li>${whereOf(issue, occurrence)}<br>${codeOf(occurrence.markup)}</li>\n`;
    }
    if (listed >= OCCURRENCES_MAX) break;
  }
  const left = issueType.how_many - listed;
  yield left > 0 ? `<li>${plural(left, 'more occurrence')}</li>\n</ul>\n` : '</ul>\n';
}

function whereOf(issue: ExportedIssue, { line, column, note, reachedBy }: ShownOccurrence): string {
  const location = line === null ? note : `line ${line}${column === null ? '' : `, column ${column}`}`;
  const words = [location, reachedBy].filter((part) => part !== null).join('. ');
  return `${linked(issue.page_url)}${words === '' ? '' : ` <span class="soft">${shown(words)}</span>`}`;
}

async function* pagesOf({ report, engines, pages }: ReportModel, { pagesMax }: HtmlLimits): AsyncGenerator<string> {
  const heads = ['Page', ...engines.map(({ title }) => title)].map((title) => `<th scope="col">${title}</th>`);
  yield `<h2 id="pages">Pages</h2>\n<table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
  let left = pagesMax;
  for await (const page of pages([])) {
    left -= 1;
    if (left < 0) break;
    yield pageRow(page, engines, seenAs(page.page, report));
  }
  const more = left < 0 ? `<p>And ${plural(report.num_pages - pagesMax, 'more page')}.</p>\n` : '';
  yield `</tbody>\n</table>\n${more}`;
}

function pageRow({ page }: PageWithIssues, engines: readonly EngineDescription[], seen: readonly string[]): string {
  const unchecked = uncheckedOf(page, engines);
  const cells = engines.map((engine) => {
    const check = page.checks[engine.kind];
    const failure = unchecked.find((each) => each.engine === engine);
    if (failure !== undefined) return shown(failure.reason);
    if (check === undefined || check.status === 'pending') return 'not checked yet';
    const errors = check.errors > 0 ? [severity('error', plural(check.errors, 'error'))] : [];
    const words = warningWords(foundIn(check, engine.isGraded));
    const warnings = check.warnings > 0 ? [severity(engine.isGraded ? 'needs_review' : 'warning', words)] : [];
    return [...(errors.length === 0 ? ['<span class="pass">✓ passes</span>'] : errors), ...warnings].join('<br>');
  });
  return `<tr><td>${linked(page.url)} <span class="soft">${shown(seen.join(', '))}</span></td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
}

export function severity(name: string, words: string): string {
  return `<span class="${name}">${SHAPES[name] ?? ''} ${words}</span>`;
}

/** Returns text of the site or an engine as markup: on one line, shortened and escaped. */
export function shown(text: string): string {
  return escapeMarkup(oneLine(text, messageMaxCharacters));
}

function codeOf(text: string): string {
  const line = shown(oneLine(text, occurrenceTextMaxCharacters));
  return line === '' ? '' : `<code>${line}</code>`;
}

/** Returns a link, or only its text if HTML does not allow the address. */
export function linked(url: string, text = pageName(url)): string {
  const words = shown(text);
  if (!/^https?:\/\//.test(url) || /%(?![0-9a-f]{2})/i.test(url)) return words;
  return `<a href="${escapeMarkup(url.replace(/[^\w\-.~:/?#@!$&'()*+,;=%]/g, encodeURIComponent))}" rel="noreferrer">${words}</a>`;
}

function dateOf(time: Date): string {
  return `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })}, ${time.toISOString().slice(11, 16)} UTC`;
}
