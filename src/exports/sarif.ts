import { createHash } from 'node:crypto';
import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import type { EngineDescription, IssueDescription } from '../checks/engine-description.ts';
import { occurrenceTextMaxCharacters } from '../checks/limits.ts';
import type { OccurrenceMarks } from '../checks/occurrence-marks.ts';
import { CERTAINTIES, type Certainty, type CheckKind, type Impact } from '../domain/check.ts';
import { oneLine } from '../platform/shorten.ts';
import { createPace } from '../platform/slices.ts';
import { VERSION } from '../platform/version.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import type { CheckOutcome } from './check-outcome.ts';
import {
  type ExportedIssue,
  type ExportedIssueType,
  type ReportModel,
  shownOccurrences,
  uncheckedOf,
} from './report-model.ts';
import { messageMaxCharacters } from './texts.ts';

/** Rules of a run that GitHub accepts. */
const RULES_MAX = 25_000;
/** Tags of a rule that GitHub accepts. */
const TAGS_MAX = 20;
/**
 * Results of a run that GitHub accepts, and their characters. It accepts 10 MB after compression, to which results shrink to a
 * tenth: names, rules and messages repeat.
 */
const RESULT_LIMITS = { resultsMax: 25_000, charactersMax: 40_000_000 };
/** Pages in the notifications about pages that could not be checked. */
const NOTIFICATIONS_MAX = 1_000;

type Level = 'error' | 'warning' | 'note';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json';

/**
 * Yields a report as SARIF 2.1.0, as GitHub's code scanning shows it: a rule for each issue type, a result for each occurrence,
 * the worst first. Results beyond GitHub's limits are left out, which a notification explains.
 * @param outcome null for none
 */
export async function* writeSarif(
  model: ReportModel,
  outcome: CheckOutcome | null,
  limits = RESULT_LIMITS,
): AsyncGenerator<string> {
  const { report } = model;
  const rules = new Map<string, number>();
  const issueTypes: SarifIssueType[] = [];
  yield `{"$schema":"${SCHEMA}","version":"2.1.0","runs":[{"tool":{"driver":{"name":"sitewarden",`;
  yield `"version":${JSON.stringify(VERSION)},"rules":[`;
  for await (const [issueType, { issues }] of allIssueTypes(model)) {
    if (issueTypes.length >= RULES_MAX) break;
    issueTypes.push({
      id: issueType.id,
      num_web_pages: issueType.num_web_pages,
      engine: issueType.kind,
      type: issueType.issue_type,
    });
    const id = ruleIdOf(issueType);
    if (rules.has(id)) continue;
    yield `${rules.size === 0 ? '\n' : ',\n'}${JSON.stringify(ruleOf(id, issueType, issues))}`;
    rules.set(id, rules.size);
  }
  const { origin: site, host, pathname } = new URL(report.site_url ?? report.starting_url);
  // GitHub replaces the results of a category, which is what comes before the last slash: each site has one.
  const category = `sitewarden/${host}${pathname.replace(/\/?$/, '/')}`;
  yield `]}},"automationDetails":{"id":${JSON.stringify(category)}},"columnKind":"utf16CodeUnits","results":[`;
  const written = { results: 0, characters: 0 };
  for await (const result of resultsOf(model, outcome, { issueTypes, rules, site })) {
    if (written.results >= limits.resultsMax || written.characters >= limits.charactersMax) break;
    const text = JSON.stringify(result);
    yield `${written.results === 0 ? '\n' : ',\n'}${text}`;
    written.results += 1;
    written.characters += text.length;
  }
  const invocation = { ...(await invocationOf(model, written.results, site)), ...exitOf(outcome) };
  yield `],"invocations":[${JSON.stringify(invocation)}],`;
  const baseline = outcome?.diff?.baseline;
  const properties = { report_id: report.id, starting_url: report.starting_url, baseline };
  yield `"properties":${JSON.stringify(properties)}}]}\n`;
}

/** The data about an issue type that its results need. */
interface SarifIssueType extends ExportedIssueType {
  readonly engine: CheckKind;
  readonly type: Certainty;
}

interface SarifRun {
  readonly issueTypes: readonly SarifIssueType[];
  /** The index of each rule. */
  readonly rules: ReadonlyMap<string, number>;
  /** The origin of the site. */
  readonly site: string;
}

/** Yields a result for each occurrence: of all errors before all warnings, each from the worst impact to the mildest. */
async function* resultsOf(
  model: ReportModel,
  outcome: CheckOutcome | null,
  { issueTypes, rules, site }: SarifRun,
): AsyncGenerator<object> {
  const pace = createPace();
  for (const type of CERTAINTIES) {
    for (const { kind } of model.engines) {
      const ofType = issueTypes.filter((each) => each.type === type && each.engine === kind);
      for await (const issue of model.issuesOf(ofType)) {
        const id = ruleIdOf(issue);
        const rule = { id, index: rules.get(id) };
        let position = 0;
        for (const shown of shownOccurrences(issue)) {
          const baselineState = outcome?.diff?.stateOf(issue.id, position);
          yield { ...resultOf(rule, issue, shown, issue.marks[position], site), baselineState };
          position += 1;
          await pace();
        }
      }
    }
  }
}

async function* allIssueTypes(model: ReportModel): AsyncGenerator<[CommonIssueRow, EngineDescription]> {
  for (const engine of model.engines) {
    for await (const issueType of model.issueTypes(engine)) yield [issueType, engine];
  }
}

type RuleOfIssueType = Pick<CommonIssueRow, 'kind' | 'rule_id' | 'issue_type' | 'message' | 'fingerprint'>;

/**
 * Returns `html/duplicate-id-main-35652570` or `a11y/image-alt`. Results that need review have a separate rule with the suffix
 * `/review`, so that each rule has one level.
 */
function ruleIdOf({ kind, rule_id: ruleId, issue_type: type, message, fingerprint }: RuleOfIssueType): string {
  if (ruleId !== null) return `${kind}/${oneLine(ruleId, 100)}${type === 'warning' ? '/review' : ''}`;
  const hash = fingerprint.toString('hex');
  const words = message
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return `${kind}/${words}-${hash.slice(0, 8)}`.replaceAll('--', '-');
}

/**
 * Errors that exclude people are errors, other errors are warnings, and issues that need review are notes. HTML errors have no
 * impact.
 */
function levelOf(type: Certainty, impact: Impact | null): Level {
  if (type === 'warning') return 'note';
  return impact === 'minor' || impact === 'moderate' ? 'warning' : 'error';
}

const PROBLEM_SEVERITIES = { error: 'error', warning: 'warning', note: 'recommendation' } as const;

/** Describes a rule: GitHub shows its short description above all of its results, and its help next to them. */
function ruleOf(id: string, issueType: CommonIssueRow, issues: IssueDescription): object {
  const text = oneLine(issues.ruleTitleOf?.(issueType) ?? issueType.message, messageMaxCharacters);
  const level = levelOf(issueType.issue_type, issueType.impact);
  const { help_url: helpUrl } = issueType;
  const isLink = helpUrl !== null && URL.canParse(helpUrl);
  const effect = issues.effectOf(issueType).words;
  const help = [issues.remedyOf(issueType) ?? sentence(text), ...(isLink ? [`See ${helpUrl}`] : [])].join(' ');
  return {
    id,
    shortDescription: { text },
    fullDescription: { text: effect === null ? text : `${sentence(text)} ${effect}` },
    ...(isLink && { helpUri: helpUrl }),
    help: { text: help },
    defaultConfiguration: { level },
    properties: {
      tags: issueType.tags.slice(0, TAGS_MAX),
      'problem.severity': PROBLEM_SEVERITIES[level],
      precision: issueType.issue_type === 'error' ? 'very-high' : 'low',
      ...(issueType.impact !== null && { impact: issueType.impact }),
    },
  };
}

/** Ends text with a full stop, so that other text can follow. */
function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}

function resultOf(
  rule: { readonly id: string; readonly index: number | undefined },
  issue: ExportedIssue,
  { line, column, markup, selector, failureSummary, reachedBy }: ShownOccurrence,
  marks: OccurrenceMarks | undefined,
  site: string,
): object {
  const texts = [issue.message, failureSummary ?? '', reachedBy ?? ''].map((text) =>
    oneLine(text, messageMaxCharacters),
  );
  const message = texts.filter((text) => text !== '');
  const snippet = oneLine(markup, occurrenceTextMaxCharacters);
  const region = {
    ...(line !== null && { startLine: line }),
    ...(line !== null && column !== null && { startColumn: column }),
    ...(line !== null && snippet !== '' && { snippet: { text: snippet } }),
  };
  const element = selector ?? (line === null ? snippet : null);
  return {
    ruleId: rule.id,
    ruleIndex: rule.index,
    level: levelOf(issue.issue_type, issue.impact),
    message: { text: message.map((text) => (message.length > 1 ? sentence(text) : text)).join(' ') || rule.id },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: artifactUri(issue.page_url, site) },
          ...(line !== null && { region }),
        },
        ...(element !== null &&
          element !== '' && {
            logicalLocations: [{ fullyQualifiedName: oneLine(element, occurrenceTextMaxCharacters), kind: 'element' }],
          }),
      },
    ],
    ...fingerprintsOf(issue, marks),
    webRequest: { target: issue.page_url },
    ...propertiesOf(issue, marks),
  };
}

function propertiesOf(
  { decision }: Pick<ExportedIssue, 'decision'>,
  marks: OccurrenceMarks | undefined,
): { readonly properties?: object } {
  const change = marks?.change ?? undefined;
  if (decision === null) return change === undefined ? {} : { properties: { change } };
  const { verdict, note, assessor, decided_at } = decision;
  const [why, by] = [note, assessor].map((text) => oneLine(text, messageMaxCharacters));
  return { properties: { change, decision: { verdict, note: why, assessor: by, decided_at } } };
}

/**
 * Returns the path of a page relative to its site, like the path of a file in a repository: GitHub accepts no URLs. Pages of
 * other origins begin with their host. A colon in the first part of a relative reference would make it a scheme (RFC 3986, 4.2).
 */
function artifactUri(pageUrl: string, site: string): string {
  const { origin, host, pathname, search, hash } = new URL(pageUrl);
  // A mark of a journey.
  if (hash !== '') return `${hash.slice(1)}.html`;
  const path = `${pathname.replace(/^\/+/, '')}${pathname.endsWith('/') ? 'index.html' : ''}${search}`;
  if (origin !== site) return `${host.replaceAll(/[^a-z\d.-]/g, '_')}/${path}`;
  return path.replace(/^[^/?]*/, (first) => first.replaceAll(':', '%3A'));
}

/** An occurrence has the same fingerprints in all reports. GitHub compares the first one, even across files. */
function fingerprintsOf(issue: ExportedIssue, marks: OccurrenceMarks | undefined): object {
  if (marks === undefined) return {};
  const { pathname, search, hash: mark } = new URL(issue.page_url);
  const hash = createHash('sha256')
    .update(JSON.stringify([pathname + search + mark, marks.fingerprint]))
    .digest('hex');
  return {
    partialFingerprints: {
      primaryLocationLineHash: `${hash.slice(0, 16)}:1`,
      'sitewardenOccurrence/v1': marks.fingerprint,
    },
  };
}

/** Returns the exit status of `check`, with the reason. Other exports have none. */
function exitOf(outcome: CheckOutcome | null): object {
  if (outcome === null) return {};
  return { exitCode: outcome.isPassed ? 0 : 1, exitCodeDescription: outcome.verdict };
}

/** Describes the run: omitted results, and pages that could not be checked. */
async function invocationOf(model: ReportModel, results: number, site: string): Promise<object> {
  const { report, engines } = model;
  const found = engines.reduce((sum, { kind }) => {
    const counts = report.checks[kind];
    return sum + (counts?.errors ?? 0) + (counts?.warnings ?? 0);
  }, 0);
  const notifications: object[] = [];
  if (found > results) {
    const text = `${found - results} of ${found} results are not included, because GitHub accepts ${RESULT_LIMITS.resultsMax} per run. The worst are included.`;
    notifications.push({ level: 'warning', message: { text } });
  }
  let unchecked = 0;
  for await (const { page } of model.pages([])) {
    for (const { engine, reason } of uncheckedOf(page, engines)) {
      unchecked += 1;
      if (unchecked > NOTIFICATIONS_MAX) continue;
      notifications.push({
        level: 'warning',
        message: {
          text: oneLine(`${engine.title} could not be checked: ${reason}. ${page.url}`, messageMaxCharacters),
        },
        locations: [{ physicalLocation: { artifactLocation: { uri: artifactUri(page.url, site) } } }],
      });
    }
  }
  if (unchecked > NOTIFICATIONS_MAX) {
    const text = `${unchecked - NOTIFICATIONS_MAX} more checks failed.`;
    notifications.push({ level: 'warning', message: { text } });
  }
  return {
    // A kind of check that could check no page has not run, and `check` ends with 3.
    executionSuccessful:
      report.status === 'finished' && engines.every(({ kind }) => report.checks[kind]?.checked !== 0),
    startTimeUtc: report.inserted_at.toISOString(),
    ...(report.finished_at !== null && { endTimeUtc: report.finished_at.toISOString() }),
    toolExecutionNotifications: notifications,
  };
}
