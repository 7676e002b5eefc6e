/**
 * The keys of all advisory locks in the service's database, so that none is used twice. In locks with two keys they are the first.
 */
export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_305_201,
  /** Held by the connection of a living worker. The second key is the worker's id. */
  worker: 7_305_202,
  /** Two processes that start at the same time create one account, not two. */
  firstAccount: 7_305_204,
  /** For creating mutings of an account and applying them to its reports. The second key is a hash of its id. */
  mutings: 7_305_207,
  /** For adding up the occurrences that mutings mute: the triggers of `migrations/0033_muting_counts.sql`. */
  mutingTotals: 7_305_231,
  /** For claiming a report to crawl, or a host. */
  crawlClaims: 7_305_232,
  /** For creating reports that one account pays for. The second key is a hash of its id. */
  newReports: 7_305_233,
} as const;
