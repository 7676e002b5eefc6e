import { sql } from 'kysely';
import type { Executor } from '../database.ts';
import { settingChangesAlong } from './examined-settings.ts';

/** A program that checked pages, such as axe-core, in a different version than before. */
export interface EngineChange {
  readonly name: string;
  readonly before: string;
  readonly now: string;
}

/** Mutings of the site's issues. */
export interface MutingChanges {
  readonly added: number;
  /** Deleted or expired. */
  readonly removed: number;
}

/** Reasons other than the site why a run differs from the run before it. */
export interface RunMarks {
  /** The names of settings that differ. */
  readonly changed_settings: readonly string[];
  readonly changed_engines: readonly EngineChange[];
  readonly changed_mutings: MutingChanges;
  /**
   * The number of decisions about issues of the site that were made, changed or undone; without decisions that were made and
   * undone within the period.
   */
  readonly changed_decisions: number;
  /** Whether a deploy hook started it. */
  readonly deployed: boolean;
}

/**
 * Returns the marks of each run of a site in its history. No run precedes the last one, so only its deployment can mark it.
 * @param reportIds the ids of the runs, newest first
 */
export async function marksAlong(db: Executor, siteId: string, reportIds: readonly string[]): Promise<RunMarks[]> {
  const settings = await settingChangesAlong(db, reportIds);
  const facts = await factsOf(db, siteId, reportIds);
  return facts.map(({ engines, deployed, decisions, ...mutings }, index) => ({
    changed_settings: (settings[index] ?? []).map(({ name }) => name),
    changed_engines: engineChanges(engines, facts[index + 1]?.engines ?? {}),
    changed_mutings: mutings,
    changed_decisions: decisions,
    deployed,
  }));
}

interface Facts extends MutingChanges {
  /** By kind of check: `axe-core 4.14.1, Chromium 156.0.8078.73`. */
  readonly engines: Readonly<Record<string, string>>;
  readonly deployed: boolean;
  readonly decisions: number;
}

/** Mutings count if they mute issues of the run or of the run before it, or if they have ended and muted issues of the site. */
async function factsOf(db: Executor, siteId: string, reportIds: readonly string[]): Promise<Facts[]> {
  const { rows } = await sql<Facts>`
    WITH runs AS (
      SELECT r.id, position, by_deploy_hook AS deployed, finished_at AS until, lead(r.id) OVER newest_first AS before,
        lead(finished_at) OVER newest_first AS since
      FROM unnest(${[...reportIds]}::uuid[]) WITH ORDINALITY AS given (id, position) JOIN reports r ON r.id = given.id
      WINDOW newest_first AS (ORDER BY position)
    )
    SELECT deployed,
      coalesce((SELECT jsonb_object_agg(kind, engine_version) FROM report_checks c
        WHERE c.report_id = runs.id AND engine_version IS NOT NULL), '{}') AS engines,
      (SELECT count(DISTINCT m.id) FROM report_mutings rm JOIN mutings m ON m.id = rm.muting_id
        WHERE rm.report_id IN (runs.id, before) AND rm.how_many > 0 AND m.report_id IS NULL AND m.deleted_at IS NULL
          AND NOT m.expired AND m.inserted_at > since AND m.inserted_at <= until)
      + (SELECT count(*) FROM ended_mutings WHERE site_id = ${siteId} AND added_at > since AND added_at <= until) AS added,
      (SELECT count(*) FROM ended_mutings WHERE site_id = ${siteId} AND ended_at > since AND ended_at <= until) AS removed,
      (SELECT count(*) FROM decisions WHERE site_id = ${siteId} AND deleted_at IS NULL AND decided_at > since
        AND decided_at <= until)
      + (SELECT count(*) FROM undone_decisions WHERE site_id = ${siteId}
        AND (undone_at > since AND undone_at <= until) <> (decided_at > since AND decided_at <= until)) AS decisions
    FROM runs ORDER BY position`.execute(db);
  return rows;
}

/** Returns the programs whose versions differ. A check that only one of the runs has is a changed setting instead. */
function engineChanges(now: Facts['engines'], before: Facts['engines']): EngineChange[] {
  return Object.keys(now).flatMap((kind) => {
    const former = versionsIn(before[kind]);
    return [...versionsIn(now[kind])].flatMap(([name, version]) => {
      const versionBefore = former.get(name);
      return versionBefore === undefined || versionBefore === version
        ? []
        : { name, before: versionBefore, now: version };
    });
  });
}

/** Splits `vnu 26.9.27 (c6ba02c)` or `axe-core 4.14.1, Chromium 156.0.8078.73` into names and versions. */
function versionsIn(engine: string | undefined): ReadonlyMap<string, string> {
  return new Map(
    (engine ?? '').split(', ').flatMap((program) => {
      const at = program.search(/ \d/);
      return at < 0 ? [] : [[program.slice(0, at), program.slice(at + 1)] as const];
    }),
  );
}
