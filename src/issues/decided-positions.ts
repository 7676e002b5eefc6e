import { type ActingDecision, DECIDED_OCCURRENCES_MAX } from '../domain/decision.ts';
import { CLUSTER_BYTES, FINGERPRINT_BYTES } from './identity.ts';

/** The occurrences of an issue on a page, packed as in `IssueIdentity`. */
interface OnPage {
  readonly pageUrl: string;
  readonly occurrences: Uint8Array;
  readonly clusters: Uint8Array;
  /** Their clusters by pairs of colors, as `clustersByPair` returns them. Called if decisions are about causes. */
  readonly byPair: () => readonly (string | null)[];
}

/** The positions of the occurrences that a decision applies to; null for the occurrences about which nothing was decided. */
export type DecidedPositions = ReadonlyMap<ActingDecision | null, readonly number[]>;

/** The decisions about one issue type of a site. */
export class TypeDecisions {
  readonly #ofRule: ActingDecision | null;
  readonly #byCluster: ReadonlyMap<string, ActingDecision>;
  readonly #byOccurrence: ReadonlyMap<string, ActingDecision>;

  constructor(decisions: readonly ActingDecision[]) {
    const of = (scope: ActingDecision['scope']) => decisions.filter((decision) => decision.scope === scope);
    this.#ofRule = of('rule')[0] ?? null;
    this.#byCluster = new Map(of('cause').map((decision) => [decision.target ?? '', decision]));
    this.#byOccurrence = new Map(
      of('occurrence').map((decision) => [`${decision.target} ${decision.pageUrl}`, decision]),
    );
  }

  /** Returns the positions of an issue's occurrences, in their order, by the most specific decision that applies to them. */
  positionsIn({ pageUrl, occurrences, clusters, byPair }: OnPage): DecidedPositions {
    const howMany = occurrences.length / FINGERPRINT_BYTES;
    const positions = Array.from({ length: howMany }, (_, position) => position);
    if (howMany > DECIDED_OCCURRENCES_MAX || this.#byCluster.size + this.#byOccurrence.size === 0)
      return new Map([[this.#ofRule, positions]]);
    const pairs = this.#byCluster.size === 0 ? [] : byPair();
    return Map.groupBy(
      positions,
      (position) =>
        this.#byOccurrence.get(`${hexAt(occurrences, position, FINGERPRINT_BYTES)} ${pageUrl}`) ??
        this.#byCluster.get(hexAt(clusters, position, CLUSTER_BYTES)) ??
        this.#byCluster.get(pairs[position] ?? '') ??
        this.#ofRule,
    );
  }
}

function hexAt(packed: Uint8Array, position: number, bytes: number): string {
  return Buffer.from(packed.buffer, packed.byteOffset + position * bytes, bytes).toString('hex');
}
