import { alsoFixedBy, numberedWords } from '../../packages/client/causes.ts';
import { type Measure, measuredByWords } from '../../packages/client/standards.ts';
import type { CheckKind } from '../domain/check.ts';
import { A11Y } from './a11y/description.ts';
import type { CheckEngine } from './check-engine.ts';
import type { Effect, EngineDescription, EngineSettings, KeptIssueType } from './engine-description.ts';
import { HTML } from './html/description.ts';
import { LINKS } from './links/description.ts';

/** All check engines, in display order. Add a new engine here; everything else is derived. */
export const ENGINES: readonly EngineDescription[] = [HTML, A11Y, LINKS];

export const CHECK_KINDS: readonly CheckKind[] = ENGINES.map(({ kind }) => kind);

/** @throws Error for an unknown kind */
export function engineOf(kind: CheckKind): EngineDescription {
  const engine = ENGINES.find((candidate) => candidate.kind === kind);
  if (engine === undefined) throw new Error(`The check engine ${kind} does not exist.`);
  return engine;
}

/** Returns what an error means for visitors. Only errors are planned, so fixes have no type of their own. */
export function effectOfError(error: PlannedError): Effect {
  return engineOf(error.kind).issues.effectOf({ ...error, issue_type: 'error' });
}

type PlannedError = Pick<KeptIssueType, 'rule_id' | 'impact' | 'message' | 'tags'> & { readonly kind: CheckKind };

/** Maximum number of other issue types that are named: the rest are only counted. */
const OTHERS_NAMED_MAX = 2;

/** A fix, and the other issues that the same edit fixes. */
interface SharedFix {
  readonly kind: CheckKind;
  readonly message: string;
  readonly also: readonly { readonly kind: CheckKind; readonly message: string }[];
}

/**
 * Returns what else an edit fixes, as the end of a sentence; empty if there is nothing else.
 * @param quoted writes a message, which can contain text from the site
 */
export function alsoFixedWords(
  fix: SharedFix,
  quoted: (message: string) => string = (message) => `“${message}”`,
): string {
  const { otherChecks, numbered, others } = alsoFixedBy(fix);
  const engines = new Set(otherChecks.map(({ kind }) => engineOf(kind).words));
  const named = others.map(({ message }) => `also fixes ${quoted(message)}`);
  return [
    ...Array.from(engines, (words) => `also found by the ${words} check`),
    ...(named.length > OTHERS_NAMED_MAX ? [`also fixes ${named.length} other issue types`] : named),
    ...(numbered.length === 0 ? [] : [`also fixes ${numberedWords(numbered.length)}`]),
  ]
    .map((words) => `, ${words}`)
    .join('');
}

/** Whether any of these kinds of check tests success criteria, so that a standard applies to its issues. */
export function followsStandard(kinds: Iterable<string>): boolean {
  const enabled = new Set(kinds);
  return ENGINES.some(({ kind, testedTags }) => testedTags !== undefined && enabled.has(kind));
}

/** Returns `Measured against WCAG 2.2 AA`; empty without a standard, or without a check that it applies to. */
export function measuredByIn(report: Measure & { readonly checks: object }): string {
  return measuredByWords(report, followsStandard(Object.keys(report.checks)));
}

/** Creates the engines of a process, without starting them. */
export function createEngines(settings: EngineSettings): Promise<readonly CheckEngine[]> {
  return Promise.all(
    ENGINES.map(async ({ kind, showsPages, createEngine }) => ({
      ...(await createEngine(settings)),
      kind,
      showsPages,
    })),
  );
}
