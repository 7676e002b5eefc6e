/** The sign of each change, next to its word or instead of it. */
export const CHANGE_SIGNS = {
  new: '+',
  regressed: '↺',
  not_checked_before: '◦',
  more: '▴',
  fewer: '▾',
  persisting: '=',
  fixed: '−',
  // Not `?`, which means that an issue needs review.
  unverified: '◌',
} as const;
