import type { CheckKind } from '../domain/check.ts';
import { A11Y } from './a11y/description.ts';
import type { CheckEngine } from './check-engine.ts';
import type { EngineDescription, EngineSettings } from './engine-description.ts';
import { HTML } from './html/description.ts';
import { LINKS } from './links/description.ts';

/** Every check engine, in the order in which they are shown. A new one gets its line here, and everything else follows. */
export const ENGINES: readonly EngineDescription[] = [HTML, A11Y, LINKS];

export const CHECK_KINDS: readonly CheckKind[] = ENGINES.map(({ kind }) => kind);

/** @throws Error for a kind that no engine has */
export function engineOf(kind: CheckKind): EngineDescription {
  const engine = ENGINES.find((candidate) => candidate.kind === kind);
  if (engine === undefined) throw new Error(`No engine is called ${kind}.`);
  return engine;
}

/** The engines of a process, not started yet. */
export function createEngines(settings: EngineSettings): Promise<readonly CheckEngine[]> {
  return Promise.all(
    ENGINES.map(async ({ kind, showsPages, createChecker }) => ({
      ...(await createChecker(settings)),
      kind,
      showsPages,
    })),
  );
}
