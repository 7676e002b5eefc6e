import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import type { Certainty } from '../domain/check.ts';
import { CHECK_FAIL_ON, type CheckFailOn, FAIL_ON_DEFAULT, readFailOn } from '../domain/fail-on.ts';
import { AppError } from '../platform/errors.ts';

export const FAIL_ON_HELP =
  `comma-separated list of what fails the check: error (${foundBy(ENGINES, 'error')}); warning (also ` +
  `${foundBy(ENGINES, 'warning')}); critical, serious, moderate or minor (` +
  `${foundBy(
    ENGINES.filter(({ isGraded }) => isGraded),
    'error',
  )} of that impact or worse); ` +
  'new (issues that are not in the baseline); unchecked (pages that could not be checked); never ' +
  '(default: error; with --baseline or --write-baseline, new; with --journey, also unchecked)';

function foundBy(engines: readonly EngineDescription[], type: Certainty): string {
  return engines.map(({ found }) => found[type]).join(', ');
}

/**
 * Determines what fails a check, without duplicates.
 * @param text the value of `--fail-on`; undefined if the option is not given. In this case, unchecked pages also fail a check of
 *   only journeys, because a step of a journey failed
 * @param configured the value in the configuration file; undefined if it has none
 * @throws AppError invalid_usage
 */
export function parseFailOn(
  text: string | undefined,
  hasBaseline: boolean,
  configured?: readonly CheckFailOn[],
  onlyJourneys = false,
): readonly CheckFailOn[] {
  const ofFile = hasBaseline ? besideBaseline(configured) : configured;
  const failOn = text === undefined ? (ofFile ?? defaultFor(hasBaseline)) : readOption(text);
  if (!hasBaseline && failOn.includes('new')) {
    throw new AppError('invalid_usage', '--fail-on new requires a baseline: add --baseline with a file or a report.');
  }
  return text === undefined && onlyJourneys ? withUnchecked(failOn) : failOn;
}

function defaultFor(hasBaseline: boolean): readonly CheckFailOn[] {
  return hasBaseline ? ['new'] : FAIL_ON_DEFAULT;
}

function withUnchecked(failOn: readonly CheckFailOn[]): readonly CheckFailOn[] {
  return failOn.includes('never') || failOn.includes('unchecked') ? failOn : [...failOn, 'unchecked'];
}

/**
 * Files specify what fails a check even before they have a baseline, and `init` writes this into each file. With a baseline,
 * known issues would still fail the check, so `new` replaces the names of issues, unless the file lists `new` along with them.
 */
function besideBaseline(configured: readonly CheckFailOn[] | undefined): readonly CheckFailOn[] | undefined {
  if (configured === undefined || configured.includes('new') || configured.includes('never')) return configured;
  return ['new', ...configured.filter((name) => name === 'unchecked')];
}

function readOption(text: string): readonly CheckFailOn[] {
  const reading = readFailOn(text, CHECK_FAIL_ON);
  if ('problem' in reading) throw new AppError('invalid_usage', `--fail-on ${reading.problem}.`);
  return reading.failOn;
}
