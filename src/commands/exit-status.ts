/** Exit statuses of the commands. Scripts rely on them. */
export const ExitStatus = {
  /** Success; a site passed its checks. */
  passed: 0,
  /** A site has more issues than allowed. Internal errors have the same status. */
  issues: 1,
  fault: 1,
  wrongUsage: 2,
  /** The site could not be checked. */
  notCheckable: 3,
  /** Stopped by Ctrl-C or another signal. Shells use the same status. */
  interrupted: 130,
} as const;
