// Generated from the tables of the service by `npm run api-types`. Do not edit.
/** What can make a run of a schedule fail. */
export const FAIL_ON = ['error', 'warning', 'critical', 'serious', 'moderate', 'minor', 'unchecked', 'never'] as const;

/** How calls to a deploy hook can be signed. */
export const HOOK_SIGNATURES = ['github', 'gitlab', 'netlify', 'standard', 'vercel'] as const;

/** The kinds of notification channels. */
export const CHANNEL_KINDS = ['webhook', 'slack', 'teams', 'email'] as const;

/** What a channel can be notified of. */
export const NOTIFICATION_EVENTS = ['report.finished', 'report.failed', 'schedule.got_worse', 'schedule.out_of_credits', 'guest.near_limit', 'channel.paused', 'backup.failed', 'backup.recovered'] as const;

/** The events of a new channel. */
export const DEFAULT_EVENTS = ['report.failed', 'schedule.got_worse', 'schedule.out_of_credits', 'guest.near_limit', 'channel.paused'] as const;

/** What only operators are notified of. */
export const OPERATOR_EVENTS = ['backup.failed', 'backup.recovered'] as const;

/** The statuses of deliveries. */
export const DELIVERY_STATUSES = ['held', 'pending', 'delivered', 'failed'] as const;

/** How a report of a schedule can be worse than the previous report. */
export const WORSE_REASONS = ['new_critical', 'new_errors', 'broken_pages', 'fail_on'] as const;

/** The outcomes of URLs that the spider found, as the API shows them. */
export const SHOWN_OUTCOMES = ['page', 'failed', 'redirected', 'duplicate', 'not_html', 'sitemap', 'robots', 'excluded', 'not_included', 'off_site', 'too_deep', 'not_listed', 'deleted', 'waiting', 'over_max_pages', 'not_visited'] as const;

/** The statuses of reports. */
export const REPORT_STATUSES = ['pending', 'crawling', 'checking', 'finished', 'failed'] as const;

/** The impacts of accessibility issues, the worst first. */
export const IMPACTS = ['critical', 'serious', 'moderate', 'minor'] as const;

/** How pages differ between two reports. */
export const PAGE_CHANGES = ['broken', 'recovered', 'added', 'removed'] as const;

/** How lists combine several tags in a filter. */
export const TAG_MODES = ['any', 'all', 'none'] as const;

/** What sites are filtered by. */
export const ATTENTION_CHOICES = ['any', 'failed', 'new_critical', 'new_errors', 'no_credits', 'broken_pages', 'not_passed', 'has_errors', 'none'] as const;

/** Why credits changed. */
export const CREDIT_REASONS = ['checks', 'raw_checks', 'rendered_pages', 'api_requests', 'refund', 'granted', 'set'] as const;

/** What people decide about issues. */
export const VERDICTS = ['error', 'not_an_error', 'later'] as const;

/** What a decision applies to, the most specific first. */
export const DECISION_SCOPES = ['occurrence', 'cause', 'rule'] as const;

/** Limits that people should know before they meet them. */
export const LIMITS = { passwordMinCharacters: 10, webhookResponseSeconds: 15, nearLimitPercent: 80, deliveryKeptDays: 7, formerSecretHours: 24, providerSignInMinutes: 10, searchTextMaxCharacters: 200, sitesSelectedMax: 1000, reportsDeletedMax: 2000, mutingCommentMaxCharacters: 1000 } as const;
