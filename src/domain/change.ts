/** What became of the places of issues since an earlier report: docs/decisions/0054-life-cycle-of-issues.md. */
export const CHANGES = ['new', 'regressed', 'persisting', 'unverified', 'fixed'] as const;
export type Change = (typeof CHANGES)[number];

/** The changes of places that are still there, and of the issues that have them. */
export const PRESENT_CHANGES = ['new', 'persisting', 'regressed'] as const satisfies readonly Change[];
export type PresentChange = (typeof PRESENT_CHANGES)[number];

/** Why they changed: the site, the versions of the engine, or the settings of the reports. */
export const CHANGE_CAUSES = ['site', 'engine', 'settings'] as const;
export type ChangeCause = (typeof CHANGE_CAUSES)[number];

/**
 * What became of the pages of a site since an earlier report. A page is broken if a check that ran in the earlier report failed in
 * this one because of the page, such as by an answer 404; recovered the other way round. The others are in one of the reports only.
 */
export const PAGE_CHANGES = ['broken', 'recovered', 'added', 'removed'] as const;
export type PageChangeName = (typeof PAGE_CHANGES)[number];

/** The changes of pages that came and went: those that are listed unless a client asks for others (decision 0078). */
export const LISTED_PAGE_CHANGES = ['added', 'removed'] as const satisfies readonly PageChangeName[];

/** What the last re-check of its page says of a place: it was there before, or it is new. Fixed ones are not there any more. */
export const RECHECK_MARKS = ['still', 'new'] as const;
export type RecheckMark = (typeof RECHECK_MARKS)[number];
