import type { CheckKind } from '../domain/check.ts';
import { A11Y } from './a11y/description.ts';
import type { CheckEngine } from './check-engine.ts';
import type { EngineDescription, EngineSettings } from './engine-description.ts';
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

/** Returns which other checks report the elements of a fix, as the end of a sentence; empty if none does. */
export function alsoFoundBy({ also }: { readonly also: readonly { readonly kind: CheckKind }[] }): string {
  const engines = new Set(also.map(({ kind }) => engineOf(kind).words));
  return [...engines].map((words) => `, also found by the ${words} check`).join('');
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
