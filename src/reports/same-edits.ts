import type { SharedEdit } from '../checks/engine-description.ts';
import { engineOf } from '../checks/registry.ts';
import { CLUSTER_BYTES, clusterTypeFingerprint, TRACE_BYTES, TRACE_PATH_BYTES } from '../issues/identity.ts';
import { nextTurn } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { type ErrorIssueType, type TracedErrors, tracedErrorsOf } from '../store/issues/fixes.ts';

/** Errors of several issue types that the same edit fixes. */
export interface SameEdits {
  /** The edits of the issue types that share an edit with others, by the ids of the issue types. */
  readonly edits: ReadonlyMap<number, SharedEdit>;
  /**
   * From the id of an issue type to the id of the first issue type whose message differs from its own only in numbers within
   * names.
   */
  readonly numbered: ReadonlyMap<number, number>;
  /** From the key of a cluster to the key of another cluster that the same edit fixes. */
  readonly keys: Map<string, string>;
}

/** Returns which of the errors of a report may require the same edits, with no clusters yet. */
export function findSameEdits(errors: readonly ErrorIssueType[]): SameEdits {
  const edits = errors.flatMap((issue) => {
    const edit = engineOf(issue.kind).issues.editOf?.(issue) ?? null;
    return edit === null ? [] : [{ id: issue.id, edit }];
  });
  const shared = [...Map.groupBy(edits, ({ edit }) => edit.what).values()].filter(({ length }) => length > 1);
  return {
    edits: new Map(shared.flat().map(({ id, edit }) => [id, edit])),
    numbered: numberedAmong(errors),
    keys: new Map(),
  };
}

/** Clusters of these issue types have the same ids. */
function numberedAmong(errors: readonly ErrorIssueType[]): ReadonlyMap<number, number> {
  const named = errors.filter(({ kind }) => !engineOf(kind).isNamedByRule);
  const alike = Map.groupBy(named, ({ kind, message }) => clusterTypeFingerprint(kind, message));
  return new Map(
    [...alike.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : others.map(({ id }) => [id, first.id] as const),
    ),
  );
}

/** Returns the first of the issue types whose messages differ only in numbers within names. */
export function firstAlike({ numbered }: SameEdits, commonIssue: number): number {
  return numbered.get(commonIssue) ?? commonIssue;
}

/** Identifies a cluster in a report, without regard to numbers in messages. */
export function clusterKey(same: SameEdits, commonIssue: number, cluster: string): string {
  return `${firstAlike(same, commonIssue)} ${cluster}`;
}

/** Returns the key of the cluster that stands for all clusters that the same edit fixes. */
export function causeKey({ keys }: SameEdits, key: string): string {
  let found = key;
  for (let next = keys.get(found); next !== undefined; next = keys.get(found)) {
    const further = keys.get(next);
    // Shortens the path for the next lookup.
    if (further !== undefined) keys.set(found, further);
    found = next;
  }
  return found;
}

/**
 * Adds the clusters on these pages that belong to the same elements. Occurrences with the same element to edit have the same path
 * in their traces.
 */
export async function addSameEdits(db: Executor, pageIds: readonly number[], same: SameEdits): Promise<void> {
  const errors = await tracedErrorsOf(db, pageIds, [...same.edits.keys()]);
  for (const onPage of Map.groupBy(errors, ({ page }) => page).values()) {
    await nextTurn();
    const first = new Map<string, string>();
    const isOfElement = ({ commonIssue }: TracedErrors) => same.edits.get(commonIssue)?.of === 'element';
    // An image without text stands for the link around it.
    for (const error of [...onPage.filter(isOfElement), ...onPage.filter((error) => !isOfElement(error))]) {
      for (const [path, key] of clustersByPath(error, same)) {
        const edited = `${same.edits.get(error.commonIssue)?.what} ${path}`;
        const [own, known] = [causeKey(same, key), causeKey(same, first.get(edited) ?? key)];
        first.set(edited, known);
        if (own !== known) same.keys.set(own, known);
      }
    }
  }
}

/** Returns the cluster of each element that an issue has on a page, by the element's path. */
function clustersByPath({ commonIssue, clusters, traces }: TracedErrors, same: SameEdits): Map<string, string> {
  const found = new Map<string, string>();
  for (let occurrence = 0; occurrence < clusters.length / CLUSTER_BYTES; occurrence += 1) {
    const at = occurrence * TRACE_BYTES;
    const path = traces.toString('latin1', at, at + TRACE_PATH_BYTES);
    const cluster = clusters.toString('latin1', occurrence * CLUSTER_BYTES, (occurrence + 1) * CLUSTER_BYTES);
    // Elements that are not in the source have no path.
    if (path !== NO_PATH) found.set(path, clusterKey(same, commonIssue, cluster));
  }
  return found;
}

const NO_PATH = '\0'.repeat(TRACE_PATH_BYTES);
