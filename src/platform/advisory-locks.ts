/**
 * The numbers of all advisory locks in a database of the service, in one place, so that none is given twice. Those with
 * two halves have theirs as the first.
 */
export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_305_201,
  /** Held by the connection of a living worker. The second half is the worker's id. */
  worker: 7_305_202,
  /** Two processes that start at once make one account, not two. */
  firstAccount: 7_305_204,
  /** Whoever makes mutings of an account, or sends them through its reports. The second half is a hash of its id. */
  mutings: 7_305_207,
  /** Whoever adds up what mutings silence: the triggers of `migrations/0033_muting_counts.sql`. */
  mutingTotals: 7_305_231,
  /** Whoever claims a report to crawl, or a host. */
  crawlClaims: 7_305_232,
  /** Whoever makes reports that one account pays for. The second half is a hash of its id. */
  newReports: 7_305_233,
} as const;
