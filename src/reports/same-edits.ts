import { engineOf } from '../checks/registry.ts';
import { CLUSTER_BYTES, TRACE_BYTES, TRACE_PATH_BYTES } from '../issues/identity.ts';
import { nextTurn } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { type ErrorIssueType, type TracedErrors, tracedErrorsOf } from '../store/issues/fixes.ts';

/** Errors of several checks that the same edit fixes. */
export interface SameEdits {
  /** Issue types by their ids, with the edit that they require: issue types that other checks also report. */
  readonly kinds: ReadonlyMap<number, ErrorIssueType & { readonly edit: string }>;
  /** From the key of a cluster to the key of the cluster of another check that stands for both. */
  readonly keys: Map<string, string>;
}

/** Identifies a cluster of a common issue in a report. */
export function clusterKey(commonIssue: number, cluster: string): string {
  return `${commonIssue} ${cluster}`;
}

/** Returns which of the errors of a report require the same edits as issue types of another check, with no clusters yet. */
export function findSameEdits(errors: readonly ErrorIssueType[]): SameEdits {
  const edits = new Map<string, ErrorIssueType[]>();
  for (const issue of errors) {
    const edit = engineOf(issue.kind).issues.editOf?.(issue) ?? null;
    if (edit !== null) edits.set(edit, [...(edits.get(edit) ?? []), issue]);
  }
  const shared = [...edits].filter(([, issues]) => new Set(issues.map(({ kind }) => kind)).size > 1);
  const kinds = shared.flatMap(([edit, issues]) => issues.map((issue) => [issue.id, { ...issue, edit }] as const));
  return { kinds: new Map(kinds), keys: new Map() };
}

/**
 * Adds the clusters on these pages that belong to the same elements. Occurrences of the same element have the same path in their
 * traces.
 */
export async function addSameEdits(db: Executor, pageIds: readonly number[], same: SameEdits): Promise<void> {
  const errors = await tracedErrorsOf(db, pageIds, [...same.kinds.keys()]);
  for (const onPage of Map.groupBy(errors, ({ page }) => page).values()) {
    await nextTurn();
    const first = new Map<string, { readonly kind: string; readonly key: string }>();
    for (const error of onPage) {
      for (const [path, key] of clustersByPath(error)) {
        const element = `${same.kinds.get(error.commonIssue)?.edit} ${path}`;
        const known = first.get(element);
        if (known === undefined) first.set(element, { kind: error.kind, key });
        else if (known.kind !== error.kind && !same.keys.has(key)) same.keys.set(key, known.key);
      }
    }
  }
}

/** Returns the cluster of each element that an issue has on a page, by the element's path. */
function clustersByPath({ commonIssue, clusters, traces }: TracedErrors): Map<string, string> {
  const found = new Map<string, string>();
  for (let occurrence = 0; occurrence < clusters.length / CLUSTER_BYTES; occurrence += 1) {
    const at = occurrence * TRACE_BYTES;
    const path = traces.toString('latin1', at, at + TRACE_PATH_BYTES);
    const cluster = clusters.toString('latin1', occurrence * CLUSTER_BYTES, (occurrence + 1) * CLUSTER_BYTES);
    // Elements that are not in the source have no path.
    if (path !== NO_PATH) found.set(path, clusterKey(commonIssue, cluster));
  }
  return found;
}

const NO_PATH = '\0'.repeat(TRACE_PATH_BYTES);
