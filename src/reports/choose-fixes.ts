import { CLUSTER_BYTES } from '../answers/identity.ts';
import { CAUSES_PER_PAGE_MAX, planFixes } from '../answers/plan-fixes.ts';
import { engineOf } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { shortened } from '../platform/shorten.ts';
import type { Executor } from '../store/database.ts';
import { countPassing, errorsOf, type NewFix, nextFailingPages, type PageErrors } from '../store/fixes.ts';
import { findIssueWithPage } from '../store/issues.ts';

/** Pages read at a time. */
const BATCH_PAGES = 100;
/** Causes of a report at most. Further ones are counted on their pages, but not planned. */
const CAUSES_MAX = 100_000;
const MARKUP_CHARACTERS_MAX = 500;

/** Places with the same markup and the same kind of error, over all pages. */
interface Cause {
  readonly kind: CheckKind;
  readonly commonIssue: number;
  readonly cluster: Buffer;
  /** The first place: an issue, and its position in it. */
  readonly issue: number;
  readonly place: number;
  howMany: number;
  pages: number;
}

/** Chooses what to fix first in a finished report: decision 0055. */
export async function chooseFixes(db: Executor, reportId: string): Promise<NewFix[]> {
  const causes: Cause[] = [];
  const numbers = new Map<string, number>();
  const pages: number[][] = [];
  for (let after = 0; ; ) {
    const ids = await nextFailingPages(db, reportId, after, BATCH_PAGES);
    const errors = Map.groupBy(await errorsOf(db, ids), ({ page }) => page);
    for (const onPage of errors.values()) pages.push(causesOf(onPage, causes, numbers));
    if (ids.length < BATCH_PAGES) break;
    after = ids.at(-1) ?? 0;
  }
  const passing = await countPassing(db, reportId);
  const planned = pages.filter((found) => found.length <= CAUSES_PER_PAGE_MAX && !found.includes(UNPLANNED));
  const plan = planFixes(planned, causes.length, passing);
  const fixes: NewFix[] = [];
  for (const { cause: number, passingAfter, passingAfterPlan } of plan) {
    const cause = causes[number];
    const described = cause && (await describe(db, cause));
    if (described === undefined) continue;
    const passes = { passing_before: passing, passing_after: passingAfter, passing_after_plan: passingAfterPlan };
    fixes.push({ ...described, ...passes, position: fixes.length + 1 });
  }
  return fixes;
}

/** A cause beyond `CAUSES_MAX`. */
const UNPLANNED = -1;

/** Returns the numbers of the causes on a page, and counts its places. */
function causesOf(onPage: readonly PageErrors[], causes: Cause[], numbers: Map<string, number>): number[] {
  const found = new Set<number>();
  for (const { issue, kind, commonIssue, clusters, howMany } of onPage) {
    for (const [place, cluster] of clustersIn(clusters, howMany).entries()) {
      const number = numberOf({ kind, commonIssue, cluster, issue, place }, causes, numbers);
      const cause = causes[number];
      if (cause !== undefined) {
        cause.howMany += 1;
        cause.pages += found.has(number) ? 0 : 1;
      }
      found.add(number);
    }
  }
  return [...found];
}

/** Returns the number of a cause, and adds it if it is new. */
function numberOf(place: Omit<Cause, 'howMany' | 'pages'>, causes: Cause[], numbers: Map<string, number>): number {
  const key = `${place.commonIssue} ${place.cluster.toString('latin1')}`;
  const known = numbers.get(key);
  if (known !== undefined) return known;
  if (causes.length >= CAUSES_MAX) return UNPLANNED;
  numbers.set(key, causes.length);
  causes.push({ ...place, cluster: Buffer.from(place.cluster), howMany: 0, pages: 0 });
  return causes.length - 1;
}

/** Splits packed clusters. An issue of a version before is one cluster. */
function clustersIn(packed: Uint8Array | null, howMany: number): Buffer[] {
  if (packed === null) return Array.from({ length: howMany }, () => Buffer.alloc(CLUSTER_BYTES));
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: bytes.length / CLUSTER_BYTES }, (_, index) =>
    bytes.subarray(index * CLUSTER_BYTES, (index + 1) * CLUSTER_BYTES),
  );
}

async function describe(db: Executor, cause: Cause) {
  const issue = await findIssueWithPage(db, cause.issue);
  if (issue === undefined) return undefined;
  const occurrences = Array.isArray(issue.occurrences) ? issue.occurrences.slice(cause.place, cause.place + 1) : [];
  const [place] = engineOf(cause.kind).issues.shownPlaces({ url: issue.url, occurrences });
  return {
    kind: cause.kind,
    common_issue_id: cause.commonIssue,
    cluster: cause.cluster,
    message: issue.message,
    markup: shortened(place?.markup ?? '', MARKUP_CHARACTERS_MAX),
    selector: place?.selector ?? null,
    sample_page_id: issue.web_page_id,
    how_many: cause.howMany,
    num_web_pages: cause.pages,
  };
}
