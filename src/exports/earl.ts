import type { EngineDescription, ShownPlace } from '../checks/engine-description.ts';
import { sentenceOf } from '../domain/failures/failure.ts';
import { VERSION } from '../platform/version.ts';
import { engineVersions } from '../store/baselines.ts';
import type { CommonIssueRow } from '../store/common-issues.ts';
import type { Executor } from '../store/database.ts';
import { type PageWithIssues, type ReportModel, shownPlaces } from './report-model.ts';
import { messageMaxCharacters, oneLine, placeTextMaxCharacters } from './texts.ts';
import { criteriaOf } from './wcag.ts';

/** The terms in the file. It is part of it, so that nobody has to fetch it. */
const CONTEXT = {
  ...{ earl: 'http://www.w3.org/ns/earl#', ptr: 'http://www.w3.org/2009/pointers#', dct: 'http://purl.org/dc/terms/' },
  ...termsOf('earl', ['Assertion', 'Assertor', 'Software', 'TestSubject', 'TestCase', 'TestRequirement', 'TestResult']),
  ...termsOf('earl', ['result', 'pointer']),
  ...termsOf('earl', ['assertedBy', 'subject', 'test', 'mode', 'outcome'], '@id'),
  ...termsOf('ptr', ['EquivalentPointers', 'LineCharPointer', 'CSSSelectorPointer', 'ExpressionPointer']),
  ...termsOf('ptr', ['groupPointer', 'lineNumber', 'charNumber', 'expression']),
  ...termsOf('ptr', ['reference'], '@id'),
  ...termsOf('dct', ['title', 'description', 'hasVersion']),
  ...termsOf('dct', ['isPartOf'], '@id'),
  ...termsOf('dct', ['date'], 'http://www.w3.org/2001/XMLSchema#dateTime'),
};

function termsOf(prefix: string, names: readonly string[], type?: string): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [name, { '@id': `${prefix}:${name}`, ...(type !== undefined && { '@type': type }) }]),
  );
}

/**
 * Yields a report as EARL 1.0 in JSON-LD: an assertion for each kind of issue on a page, and for each check of a page that did not
 * succeed. Results do not tell which rules a page passes, so nothing is asserted to pass.
 */
export async function* writeEarl(db: Executor, model: ReportModel): AsyncGenerator<string> {
  yield `{"@context":${JSON.stringify(CONTEXT)},\n"@graph":[`;
  let separator = '\n';
  for await (const nodes of nodesOf(db, model)) {
    yield separator + nodes.map((node) => JSON.stringify(node)).join(',\n');
    separator = ',\n';
  }
  yield '\n]}\n';
}

async function* nodesOf(db: Executor, model: ReportModel): AsyncGenerator<readonly object[]> {
  const versions = await engineVersions(db, model.report.id);
  yield model.engines.flatMap((engine) => [assertorOf(engine, versions.get(engine.kind)), requirementOf(engine)]);
  for (const engine of model.engines) {
    const known = new Set<string>();
    for await (const kind of model.kinds(engine)) {
      // A rule can be two kinds of issue: what it finds, and what people must review.
      const id = testIdOf(kind.id, kind);
      if (!known.has(id)) yield [testCaseOf(id, kind)];
      known.add(id);
    }
  }
  for await (const page of model.pages()) yield [...pageNodes(page, model.engines)];
}

function assertorOf({ kind, title }: EngineDescription, versions: readonly string[] = []): object {
  return {
    '@id': `_:sitewarden-${kind}`,
    '@type': ['Assertor', 'Software'],
    title: `sitewarden: ${title}`,
    hasVersion: [VERSION, ...versions].join(', engine '),
  };
}

/** What is untested if a check of a page fails. */
function requirementOf({ kind, title }: EngineDescription): object {
  return { '@id': `_:${kind}`, '@type': 'TestRequirement', title };
}

function testCaseOf(id: string, { kind, rule_id: rule, message, tags }: CommonIssueRow): object {
  const text = oneLine(message, messageMaxCharacters);
  return {
    '@id': id,
    '@type': 'TestCase',
    title: rule ?? text,
    ...(rule !== null && { description: text }),
    isPartOf: [`_:${kind}`, ...criteriaOf(tags).map(({ url }) => url)],
  };
}

/** Returns the page about a rule, which identifies the rule in all reports, or else an id within the file. */
function testIdOf(
  commonId: number,
  { kind, help_url: url, fingerprint }: Pick<CommonIssueRow, 'kind' | 'help_url' | 'fingerprint'>,
): string {
  if (url !== null && URL.canParse(url)) return url;
  return `_:${kind}-${fingerprint?.toString('hex') ?? commonId}`;
}

function* pageNodes({ page, issues }: PageWithIssues, engines: readonly EngineDescription[]): Generator<object> {
  const title = oneLine(page.title ?? '', messageMaxCharacters);
  yield { '@id': page.url, '@type': 'TestSubject', ...(title !== '' && { title }) };
  for (const { kind } of engines) {
    const check = page.checks[kind];
    if (check === undefined || check.status === 'checked') continue;
    const description = check.error === null ? 'The check did not run.' : sentenceOf(check.error);
    yield assertion(kind, page, `_:${kind}`, { outcome: 'earl:untested', description });
  }
  for (const issue of issues) {
    const outcome = issue.issue_type === 'error' ? 'earl:failed' : 'earl:cantTell';
    const pointers = shownPlaces(issue).flatMap((place) => pointersTo(place, issue.url ?? page.url));
    const description = oneLine(issue.message, messageMaxCharacters);
    const test = testIdOf(issue.common_issue_id, issue);
    yield assertion(issue.kind, page, test, {
      outcome,
      description,
      ...(pointers.length > 0 && { pointer: pointers }),
    });
  }
}

function assertion(
  kind: string,
  { url, last_checked_at: checkedAt }: PageWithIssues['page'],
  test: string,
  result: { readonly outcome: string; readonly description: string; readonly pointer?: readonly object[] },
): object {
  const date = checkedAt === null ? {} : { date: checkedAt.toISOString() };
  return {
    '@type': 'Assertion',
    assertedBy: `_:sitewarden-${kind}`,
    mode: 'earl:automatic',
    subject: url,
    test,
    result: { '@type': 'TestResult', ...result, ...date },
  };
}

/** Returns a pointer to a place: its line and column, its selector, or both as one. */
function pointersTo({ line, column, selector }: ShownPlace, reference: string): object[] {
  const pointers: object[] = [];
  if (line !== null) {
    const charNumber = column === null ? {} : { charNumber: column };
    pointers.push({ '@type': 'LineCharPointer', reference, lineNumber: line, ...charNumber });
  }
  if (selector !== null && selector !== '') {
    // Paths through frames and shadow roots are no selectors of CSS.
    const type = selector.includes(' >> ') ? 'ExpressionPointer' : 'CSSSelectorPointer';
    pointers.push({ '@type': type, reference, expression: oneLine(selector, placeTextMaxCharacters) });
  }
  return pointers.length < 2 ? pointers : [{ '@type': 'EquivalentPointers', groupPointer: pointers }];
}
