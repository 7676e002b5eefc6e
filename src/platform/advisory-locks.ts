/**
 * The keys of all advisory locks, so that none is used twice. In locks with two keys, they are the first key.
 *
 * A transaction takes at most one of these locks, so they have no order among themselves, except that creating a report takes
 * `siteAddresses` before `newReports`, and that `mutingTotals` is the last. The other locks that are held until the end of a
 * transaction, and their order, are described in `store/reports/report-transaction.ts`. `worker`, `sweeper` and `lease` are held
 * by connections of their own, which wait for nothing else.
 */
export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_305_201,
  /** Held by the connection of a living worker. The second key is the worker's id. */
  worker: 7_305_202,
  /** Held by the connection of the worker that releases the work of dead workers, on behalf of all. */
  sweeper: 7_305_237,
  /** Two processes that start at the same time create one account, not two. */
  firstAccount: 7_305_204,
  /** For creating mutings of an account and applying them to its reports. The second key is a hash of its id. */
  mutings: 7_305_207,
  /** For claiming a report to crawl, or a host. The rows of reports are locked before this lock or skipped, never waited for. */
  crawlClaims: 7_305_232,
  /** For finding or creating the site of a starting URL. The second key is a hash of account and URL. */
  siteAddresses: 7_305_235,
  /**
   * For creating reports that one account pays for, after the rows of schedule and site are locked. The second key is a hash of
   * its id.
   */
  newReports: 7_305_233,
  /** For adding up the counts of mutings at the end of a transaction, in `add_up_muting` of the migrations. */
  mutingTotals: 7_305_234,
  /**
   * For requests with an idempotency key that use several transactions. The second key is a hash of account and key. Held by the
   * connection of the request, which takes it before all other locks.
   */
  idempotencyKeys: 7_305_236,
  /** One process makes the scheduled backup. Held by a connection of its own. */
  backup: 7_305_238,
  /** Shared by the processes that use the embedded server. The only one in the database `postgres`. */
  lease: 7_483_920_157,
} as const;
