import { type ConfiguredMuting, isExpired } from './configuration-file/mutings.ts';

/** Reports on the mutings of a configuration file in the checks of a run. */
export class MutingUse {
  readonly #howMany = new Map<ConfiguredMuting, number>();

  /** @param howMany the number of occurrences that each of the mutings muted in a report */
  add(mutings: readonly ConfiguredMuting[], howMany: readonly number[]): void {
    for (const [index, muting] of mutings.entries()) {
      this.#howMany.set(muting, (this.#howMany.get(muting) ?? 0) + (howMany[index] ?? 0));
    }
  }

  /**
   * Returns a line for each muting that muted nothing.
   * @param path names the file
   * @param isWhole whether all sites of the file were checked: if not, mutings for all sites may be used by other sites
   */
  unused(path: string, isWhole: boolean): readonly string[] {
    return [...this.#howMany].flatMap(([{ line, title, isCommon }, howMany]) =>
      howMany > 0 || (isCommon && !isWhole)
        ? []
        : [`${path}:${line}: The muting of ${title} matched nothing. If the issue is fixed, delete the muting.`],
    );
  }
}

/** Returns a line for each muting that has expired. */
export function expiredRemarks(mutings: readonly ConfiguredMuting[], path: string, now: Date): readonly string[] {
  return mutings
    .filter((muting) => isExpired(muting, now))
    .map(({ line, title, expiresAt }) => {
      const day = expiresAt?.toISOString().slice(0, 10);
      return `${path}:${line}: The muting of ${title} expired on ${day}: its issues count again.`;
    });
}
