import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { occurrenceTextMaxCharacters } from '../checks/limits.ts';
import type { Verdict } from '../domain/decision.ts';
import { fullSentenceOf, sentenceOf } from '../domain/failures/failure.ts';
import { oneLine } from '../platform/shorten.ts';
import { slicesInTurns } from '../platform/slices.ts';
import { VERSION } from '../platform/version.ts';
import type { Executor } from '../store/database.ts';
import type { ShownDecision } from '../store/decisions/issue-decision.ts';
import { engineVersions } from '../store/diffs/baselines.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import { type ExportedIssue, type PageWithIssues, type ReportModel, shownOccurrences } from './report-model.ts';
import { measureNotes, type Requirement, requirementsOf, type StandardScope, scopeOf } from './standard-criteria.ts';
import { messageMaxCharacters } from './texts.ts';
import { criteriaOf } from './wcag.ts';

/** Parts of the text that are in memory at a time, such as pointers, each with the URL of its page. */
const PARTS_MAX = 200;

/** The meaning of the terms in the file, as a part of the file, so that readers need not fetch it. */
const CONTEXT = {
  ...{ earl: 'http://www.w3.org/ns/earl#', ptr: 'http://www.w3.org/2009/pointers#', dct: 'http://purl.org/dc/terms/' },
  ...termsOf('earl', ['Assertion', 'Assertor', 'Software', 'TestSubject', 'TestCase', 'TestRequirement', 'TestResult']),
  ...termsOf('earl', ['result', 'pointer']),
  ...termsOf('earl', ['assertedBy', 'subject', 'test', 'mode', 'outcome'], '@id'),
  ...termsOf('ptr', ['EquivalentPointers', 'LineCharPointer', 'CSSSelectorPointer', 'ExpressionPointer']),
  ...termsOf('ptr', ['groupPointer', 'lineNumber', 'charNumber', 'expression']),
  ...termsOf('ptr', ['reference'], '@id'),
  ...termsOf('dct', ['title', 'description', 'hasVersion']),
  ...termsOf('dct', ['isPartOf', 'source'], '@id'),
  ...termsOf('dct', ['date'], 'http://www.w3.org/2001/XMLSchema#dateTime'),
};

function termsOf(prefix: string, names: readonly string[], type?: string): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [name, { '@id': `${prefix}:${name}`, ...(type !== undefined && { '@type': type }) }]),
  );
}

/**
 * Yields a report as EARL 1.0 in JSON-LD: an assertion for each issue type on a page, and for each check of a page that did not
 * succeed. Results do not show which rules a page passes, so only what a person decided is not an error is asserted to pass.
 */
export async function* writeEarl(db: Executor, model: ReportModel): AsyncGenerator<string> {
  const scope = model.report.standard === null ? null : scopeOf(model.report.standard);
  const versions = await engineVersions(db, model.report.id);
  yield `{"@context":${JSON.stringify(CONTEXT)},\n"@graph":[\n${JSON.stringify(siteOf(model))}`;
  if (scope !== null) yield following(standardOf(scope));
  for (const engine of model.engines) {
    yield following(assertorOf(engine, versions.get(engine.kind))) + following(requirementOf(engine));
  }
  yield* testCasesOf(model, scope);
  for await (const page of model.pages()) {
    for await (const parts of slicesInTurns(pageParts(page, model.engines), PARTS_MAX)) yield parts.join('');
  }
  yield* refutedParts(model);
  yield '\n]}\n';
}

/** Returns a node as text, to follow another node. */
function following(node: object): string {
  return `,\n${JSON.stringify(node)}`;
}

/** The site as a whole, the standard that it was measured against, and why it was not crawled as a whole. */
function siteOf({ report }: ReportModel): object {
  const early = fullSentenceOf(report.crawl_error);
  const description = [...measureNotes(report), ...(early === null ? [] : [early])].join(' ');
  return {
    '@id': '_:site',
    '@type': 'TestSubject',
    title: oneLine(report.starting_url, messageMaxCharacters),
    ...(description !== '' && { description: oneLine(description, messageMaxCharacters) }),
  };
}

function standardOf({ url, name }: StandardScope): object {
  return { '@id': url, '@type': 'TestRequirement', title: name };
}

function criterionOf({ id, title, criterion }: Requirement, { url }: StandardScope): object {
  const source = criterion === null || criterion.url === id ? {} : { source: criterion.url };
  return { '@id': id, '@type': 'TestRequirement', title, isPartOf: [url], ...source };
}

/** Yields the rules that found something, each after the criteria of the report's standard that it tests. */
async function* testCasesOf(model: ReportModel, scope: StandardScope | null): AsyncGenerator<string> {
  const criteria = new Set<string>();
  let isReviewed = false;
  for (const engine of model.engines) {
    const known = new Set<string>();
    for await (const issueType of typesOf(model, engine)) {
      if (!isReviewed && isFinal(issueType)) yield following(REVIEWER);
      isReviewed ||= isFinal(issueType);
      // A rule can have several issue types: violations, results that people must review, and what they have decided.
      const id = testIdOf(engine, issueType);
      if (known.has(id)) continue;
      known.add(id);
      if (scope === null) {
        const usual = criteriaOf(issueType.tags).map(({ url }) => url);
        yield following(testCaseOf(id, issueType, usual));
        continue;
      }
      const tested = requirementsOf(issueType.tags, scope);
      const added = tested.filter((requirement) => !criteria.has(requirement.id));
      for (const requirement of added) {
        criteria.add(requirement.id);
        yield following(criterionOf(requirement, scope));
      }
      const tests = tested.map((requirement) => requirement.id);
      yield following(testCaseOf(id, issueType, tests));
    }
  }
}

async function* typesOf(model: ReportModel, engine: EngineDescription): AsyncGenerator<CommonIssueRow> {
  yield* model.issueTypes(engine);
  yield* model.refutedTypes(engine);
}

function assertorOf({ kind, title }: EngineDescription, versions: readonly string[] = []): object {
  return {
    '@id': `_:sitewarden-${kind}`,
    '@type': ['Assertor', 'Software'],
    title: `sitewarden: ${title}`,
    hasVersion: [VERSION, ...versions].join(', engine '),
  };
}

/** The part that is untested if a check of a page fails. */
function requirementOf({ kind, title }: EngineDescription): object {
  return { '@id': `_:${kind}`, '@type': 'TestRequirement', title };
}

function testCaseOf(
  id: string,
  { kind, rule_id: rule, message, help_url: url }: CommonIssueRow,
  criteria: readonly string[],
): object {
  const text = oneLine(message, messageMaxCharacters);
  return {
    '@id': id,
    '@type': 'TestCase',
    title: rule ?? text,
    ...(rule !== null && { description: text }),
    isPartOf: [`_:${kind}`, ...criteria],
    ...(url !== null && URL.canParse(url) && { source: url }),
  };
}

/** Returns the name of a rule or of a message, the same in all reports. Pages about rules move with each version. */
function testIdOf(
  { kind, isNamedByRule }: EngineDescription,
  { rule_id: rule, fingerprint }: Pick<CommonIssueRow, 'rule_id' | 'fingerprint'>,
): string {
  if (isNamedByRule && rule !== null) return `urn:sitewarden:${kind}:${encodeURIComponent(rule)}`;
  return `_:${kind}-${fingerprint.toString('hex')}`;
}

/** Yields the nodes of a page as text: the nodes of its issues in a part for each occurrence. */
function* pageParts({ page, issues }: PageWithIssues, engines: readonly EngineDescription[]): Generator<string> {
  const title = oneLine(page.title ?? '', messageMaxCharacters);
  yield following({ '@id': page.url, '@type': 'TestSubject', ...(title !== '' && { title }) });
  for (const { kind } of engines) {
    const check = page.checks[kind];
    if (check === undefined || check.status === 'checked') continue;
    const description = check.error === null ? 'The check did not run.' : sentenceOf(check.error);
    yield following(assertion(kind, page, `_:${kind}`, { outcome: 'earl:untested', description }));
  }
  for (const issue of issues) yield* issueParts(issue, page);
}

function* issueParts(issue: ExportedIssue, page: AssertedPage): Generator<string> {
  const { kind, engine, decision } = issue;
  const description = oneLine(issue.message + decidedWords(decision), messageMaxCharacters);
  const result = { outcome: outcomeOf(issue), description };
  yield* withPointers(following(assertion(kind, page, testIdOf(engine, issue), result, decision)), issue, page.url);
}

/** The people who decided about issues. */
const REVIEWER = { '@id': '_:reviewer', '@type': 'Assertor', title: 'People who reviewed the results' };

/** Returns who decided, and why, as the end of a description; empty if nothing was decided. */
function decidedWords(decision: ShownDecision | null): string {
  if (decision === null || !isFinal(decision)) return '';
  const { assessor, note } = decision;
  const by = assessor === '' ? 'Decided' : `Decided by ${assessor}`;
  return ` (${by}${note === '' ? '' : `: ${note}`})`;
}

/** Whether a person has decided, and not put it off. */
function isFinal({ verdict }: { readonly verdict: Verdict | null }): boolean {
  return verdict !== null && verdict !== 'later';
}

/** Yields what people decided is not an error, for rules that found nothing else on the page. */
async function* refutedParts(model: ReportModel): AsyncGenerator<string> {
  for (const engine of model.engines) {
    for await (const issue of model.refuted(engine)) {
      // A decision that is being undone no longer says anything.
      if (issue.decision === null) continue;
      const page = { url: issue.page_url, last_checked_at: null };
      for await (const parts of slicesInTurns(issueParts(issue, page), PARTS_MAX)) yield parts.join('');
    }
  }
}

function outcomeOf(issue: ExportedIssue): string {
  if (issue.decision?.verdict === 'not_an_error') return 'earl:passed';
  if (issue.engine.issues.isUntested?.(issue) === true) return 'earl:untested';
  return issue.issue_type === 'error' ? 'earl:failed' : 'earl:cantTell';
}

/** Yields an assertion with a pointer to each occurrence, at the end of its result. */
function* withPointers(text: string, issue: ExportedIssue, pageUrl: string): Generator<string> {
  yield text.slice(0, -'}}'.length);
  let separator = ',"pointer":[';
  for (const occurrence of shownOccurrences(issue)) {
    for (const pointer of pointersTo(occurrence, issue.url ?? pageUrl)) {
      yield separator + JSON.stringify(pointer);
      separator = ',';
    }
  }
  yield separator === ',' ? ']}}' : '}}';
}

type AssertedPage = Pick<PageWithIssues['page'], 'url' | 'last_checked_at'>;

function assertion(
  kind: string,
  { url, last_checked_at: checkedAt }: AssertedPage,
  test: string,
  result: { readonly outcome: string; readonly description: string },
  decision: ShownDecision | null = null,
): object {
  const decided = decision !== null && isFinal(decision) ? decision : null;
  const when = decided === null ? checkedAt : new Date(decided.decided_at);
  const date = when === null ? {} : { date: when.toISOString() };
  return {
    '@type': 'Assertion',
    assertedBy: decided === null ? `_:sitewarden-${kind}` : REVIEWER['@id'],
    mode: decided === null ? 'earl:automatic' : 'earl:manual',
    subject: url,
    test,
    result: { '@type': 'TestResult', ...result, ...date },
  };
}

/** Returns a pointer to an occurrence: its line and column, its selector, or both as one. */
function pointersTo({ line, column, selector }: ShownOccurrence, reference: string): object[] {
  const pointers: object[] = [];
  if (line !== null) {
    const charNumber = column === null ? {} : { charNumber: column };
    pointers.push({ '@type': 'LineCharPointer', reference, lineNumber: line, ...charNumber });
  }
  if (selector !== null && selector !== '') {
    // Paths through frames and shadow roots are not CSS selectors.
    const type = selector.includes(' >> ') ? 'ExpressionPointer' : 'CSSSelectorPointer';
    pointers.push({ '@type': type, reference, expression: oneLine(selector, occurrenceTextMaxCharacters) });
  }
  return pointers.length < 2 ? pointers : [{ '@type': 'EquivalentPointers', groupPointer: pointers }];
}
