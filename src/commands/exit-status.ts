/** What the commands end with; scripts rely on it. */
export const ExitStatus = {
  /** Done; a site passed its checks. */
  passed: 0,
  /** A site has more issues than allowed; a fault of ours ends with the same, as any program's. */
  issues: 1,
  fault: 1,
  wrongUsage: 2,
  /** The site could not be checked. */
  notCheckable: 3,
  /** Stopped by Ctrl-C or another signal before it was done; what shells use for it. */
  interrupted: 130,
} as const;
