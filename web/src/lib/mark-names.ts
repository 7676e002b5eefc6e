/**
 * The names of the marks of runs, in their order. In a file without their words, because every screen loads the names of filters.
 */
export const MARK_NAMES = ['deployed', 'settings', 'engines', 'mutings', 'decisions'] as const;
export type MarkName = (typeof MARK_NAMES)[number];
