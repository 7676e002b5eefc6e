// Generated from the OpenAPI document by `npm run api-types`. Do not edit.

export interface Report {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. */
  readonly starting_url: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler: boolean;
  /** Additional URLs from which the spider starts. */
  readonly initial_urls: readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. */
  readonly inclusions: readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. */
  readonly exclusions: readonly string[];
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. */
  readonly wait_for: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. */
  readonly journeys: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. */
  readonly consent: 'accept' | 'reject' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. */
  readonly standard: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse: boolean;
  /** Tags to filter reports by. */
  readonly tags: readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** The rules of `standard` that have not run, because the report was created for another standard. Create a new report to test them. */
  readonly untested_rules: readonly string[];
  /** Whether it has `basic_auth`, `headers`, `cookies` or a `login` for the site, which are not shown. If so, URLs that sign users out (such as `/logout` or `?action=logout`) are skipped unless they are initial URLs. If it sends a cookie or an `Authorization` header, pages that redirect to a login page fail. */
  readonly signs_in: boolean;
  /** The host name of `starting_url`. */
  readonly domain: string;
  /** The name of its site; empty if it has none. Absent if it is shared with you. */
  readonly site_name?: string;
  /** Web pages found so far. */
  readonly num_pages: number;
  /** Of the web pages in `num_pages`, how many are checked and how many pass all enabled checks. Null if your plan shows several types of check, but not all types that the report has. */
  readonly pages: {
    /** Web pages whose enabled checks have all run. */
    readonly checked: number;
    /** Completely checked web pages without unmuted errors. */
    readonly passed: number;
  } | null;
  /** The totals of the checks of all web pages, always up to date. */
  readonly checks: {
    /** The HTML checks. Null if not enabled. */
    readonly html: {
      /** Number of web pages with each status. */
      readonly status: {
        /** Checks that have not run yet. */
        readonly pending: number;
        /** Checks that have run. */
        readonly checked: number;
        /** Checks that failed. Their web pages show the reasons. */
        readonly failed: number;
      };
      /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
      readonly pages: {
        /** Checked web pages without unmuted errors. */
        readonly passed: number;
        /** Checked web pages with unmuted errors. */
        readonly with_errors: number;
      };
      /** The totals of all web pages. */
      readonly issues: {
        /** Number of errors: occurrences, not issue types, excluding muted ones. */
        readonly errors: number;
        /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
        readonly warnings: number;
      };
    } | null;
    /** The accessibility checks. Null if not enabled. */
    readonly a11y: {
      /** Number of web pages with each status. */
      readonly status: {
        /** Checks that have not run yet. */
        readonly pending: number;
        /** Checks that have run. */
        readonly checked: number;
        /** Checks that failed. Their web pages show the reasons. */
        readonly failed: number;
      };
      /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
      readonly pages: {
        /** Checked web pages without unmuted errors. */
        readonly passed: number;
        /** Checked web pages with unmuted errors. */
        readonly with_errors: number;
        /** Checked web pages without critical or serious errors. */
        readonly severe_free: number;
      };
      /** The totals of all web pages. */
      readonly issues: {
        /** Number of errors: occurrences, not issue types, excluding muted ones. */
        readonly errors: number;
        /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
        readonly warnings: number;
        /** Errors and warnings by impact, including findings that need review. */
        readonly severity: {
          /** Errors and warnings with minor impact. */
          readonly minor: number;
          /** Errors and warnings with moderate impact. */
          readonly moderate: number;
          /** Errors and warnings with serious impact. */
          readonly serious: number;
          /** Errors and warnings with critical impact. */
          readonly critical: number;
          /** The totals across all impacts. */
          readonly total: {
            /** Number of errors: occurrences, not issue types, excluding muted ones. */
            readonly errors: number;
            /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
            readonly warnings: number;
            /** Errors and warnings together. */
            readonly total: number;
          };
        };
        /** Errors by impact, excluding findings that need review. They add up to `errors`. */
        readonly errors_by_impact: {
          /** Errors with minor impact. */
          readonly minor: number;
          /** Errors with moderate impact. */
          readonly moderate: number;
          /** Errors with serious impact. */
          readonly serious: number;
          /** Errors with critical impact. */
          readonly critical: number;
        };
      };
    } | null;
    /** The link checks. Absent if not enabled. */
    readonly link?: {
      /** Number of web pages with each status. */
      readonly status: {
        /** Checks that have not run yet. */
        readonly pending: number;
        /** Checks that have run. */
        readonly checked: number;
        /** Checks that failed. Their web pages show the reasons. */
        readonly failed: number;
      };
      /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
      readonly pages: {
        /** Checked web pages without unmuted errors. */
        readonly passed: number;
        /** Checked web pages with unmuted errors. */
        readonly with_errors: number;
      };
      /** The totals of all web pages. */
      readonly issues: {
        /** Number of errors: occurrences, not issue types, excluding muted ones. */
        readonly errors: number;
        /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
        readonly warnings: number;
      };
    } | null;
  };
  /** What the report had found when it ended, if re-checks, mutings or decisions have changed its counts since; otherwise null. Trends, statistics and comparisons show these results. */
  readonly at_end: {
    /** `pages` at that time. */
    readonly pages: {
      /** Web pages whose enabled checks have all run. */
      readonly checked: number;
      /** Completely checked web pages without unmuted errors. */
      readonly passed: number;
    } | null;
    /** The totals at that time. */
    readonly checks: {
      /** The HTML checks. Null if not enabled. */
      readonly html: {
        /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
        readonly pages: {
          /** Checked web pages without unmuted errors. */
          readonly passed: number;
          /** Checked web pages with unmuted errors. */
          readonly with_errors: number;
        };
        /** The totals of all web pages. */
        readonly issues: {
          /** Number of errors: occurrences, not issue types, excluding muted ones. */
          readonly errors: number;
          /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
          readonly warnings: number;
        };
      } | null;
      /** The accessibility checks. Null if not enabled. */
      readonly a11y: {
        /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
        readonly pages: {
          /** Checked web pages without unmuted errors. */
          readonly passed: number;
          /** Checked web pages with unmuted errors. */
          readonly with_errors: number;
          /** Checked web pages without critical or serious errors. */
          readonly severe_free: number;
        };
        /** The totals of all web pages. */
        readonly issues: {
          /** Number of errors: occurrences, not issue types, excluding muted ones. */
          readonly errors: number;
          /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
          readonly warnings: number;
          /** Errors and warnings by impact, including findings that need review. */
          readonly severity: {
            /** Errors and warnings with minor impact. */
            readonly minor: number;
            /** Errors and warnings with moderate impact. */
            readonly moderate: number;
            /** Errors and warnings with serious impact. */
            readonly serious: number;
            /** Errors and warnings with critical impact. */
            readonly critical: number;
            /** The totals across all impacts. */
            readonly total: {
              /** Number of errors: occurrences, not issue types, excluding muted ones. */
              readonly errors: number;
              /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
              readonly warnings: number;
              /** Errors and warnings together. */
              readonly total: number;
            };
          };
          /** Errors by impact, excluding findings that need review. They add up to `errors`. */
          readonly errors_by_impact: {
            /** Errors with minor impact. */
            readonly minor: number;
            /** Errors with moderate impact. */
            readonly moderate: number;
            /** Errors with serious impact. */
            readonly serious: number;
            /** Errors with critical impact. */
            readonly critical: number;
          };
        };
      } | null;
      /** The link checks. Absent if not enabled. */
      readonly link?: {
        /** Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`. */
        readonly pages: {
          /** Checked web pages without unmuted errors. */
          readonly passed: number;
          /** Checked web pages with unmuted errors. */
          readonly with_errors: number;
        };
        /** The totals of all web pages. */
        readonly issues: {
          /** Number of errors: occurrences, not issue types, excluding muted ones. */
          readonly errors: number;
          /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
          readonly warnings: number;
        };
      } | null;
    };
  } | null;
  /** The progress: waiting, finding pages, checking them, or ended. It is `failed` only if there was no page to check. */
  readonly status: 'pending' | 'crawling' | 'checking' | 'finished' | 'failed';
  /** What went wrong during the crawl, and how to fix it; null if nothing did. */
  readonly crawl_error: string | null;
  /** The code of `crawl_error`, which stays the same when its wording changes; null if `crawl_error` is null. */
  readonly crawl_error_code: string | null;
  /** Why it ended before every page was found and checked: it was stopped (`report_stopped`), or its crawl was interrupted too often (`crawl_broke_off`). Null if neither happened. */
  readonly stopped_early: 'report_stopped' | 'crawl_broke_off' | null;
  /** What the report takes up in the database, without indexes. Null until it is measured, a few seconds after it has ended. */
  readonly size: {
    /** Bytes of its pages, checks and issues. */
    readonly results: number;
    /** Bytes of documents that no older report of the site has. */
    readonly documents: number;
    /** Bytes of screenshots that no older report of the site has. */
    readonly screenshots: number;
  } | null;
  /** How many pages would pass after the best fixes, which are the first in `GET /reports/{id}/fixes`. Null until they are computed, a few seconds after the report ends, or if your plan does not show all checks of the report. */
  readonly fix_effect: {
    /** Number of fixes, at most 5. */
    readonly fixes: number;
    /** Pages that pass now. */
    readonly passing_before: number;
    /** Pages that pass once all of these fixes are made. */
    readonly passing_after: number;
  } | null;
  /** Whether a report of a schedule passed according to the schedule's `fail_on` at the time it was created. Null for other reports; until it is computed, a few seconds after the report ends; if the report failed; or if your plan does not show all checks of the report. */
  readonly verdict: {
    /** Whether the report passed: nothing listed in `fail_on` was found. */
    readonly passed: boolean;
    /** Number of issues and unchecked pages that match `fail_on`. */
    readonly how_many: number;
    /** What makes a report of the schedule fail, as with `check --fail-on`. Each value includes anything worse: `error` (errors of all checks), `warning` (also warnings), `critical`, `serious`, `moderate` or `minor` (errors of that impact), `unchecked` (pages that could not be checked), `never`. */
    readonly fail_on: readonly ('error' | 'warning' | 'critical' | 'serious' | 'moderate' | 'minor' | 'unchecked' | 'never')[];
  } | null;
  /** What changed since the previous report of the site. Null if there is none; until the reports are compared, a few seconds after this one ends; or if your plan does not show all checks of the report. Absent if it is shared with you. */
  readonly change?: {
    /** Occurrences that the previous report did not have. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences of an earlier report on pages that the previous one did not check. */
    readonly not_checked_before: number;
    /** Occurrences that only the previous report has. */
    readonly fixed: number;
    /** Occurrences of the previous report that this report could not check for. */
    readonly unverified: number;
    /** Occurrences that decisions have changed. They are neither new nor fixed. */
    readonly decided: {
      /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
      readonly error: number;
      /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
      readonly not_an_error: number;
      /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
      readonly error_before: number;
      /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
      readonly not_an_error_before: number;
    };
    /** Pages that could be checked in the previous report but not in this one. */
    readonly broken_pages: number;
    /** Pages that could not be checked in the previous report but could in this one. */
    readonly recovered_pages: number;
  } | null;
  /** Anyone with this URL can read the report, without an account. Its last segment is a secret that `GET /share` accepts in place of an API token. The URL stops working when `shared` becomes false, and changes when the report is shared again. Only shown to the owner and to the host of a guest while the report is shared. Absent for read-only tokens, and if it was encrypted with another key. */
  readonly share_url?: string;
  /** The name of the account that shares the report; null if it has none. Only shown to readers with a share link. */
  readonly shared_by?: string | null;
  /** The guest account that created it. Absent if none did. */
  readonly guest_token?: string;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** When a check last ended; null before the first one. */
  readonly last_checked_at: string | null;
  /** When it was first complete; later checks of its pages do not change this. Null until then, and while pages are being checked again. */
  readonly finished_at: string | null;
}

export interface SharedSite {
  /** What its owner calls it. Empty if it has no name. */
  readonly name: string;
  /** Where its next crawl starts. */
  readonly starting_url: string;
  /** Its last full reports, newest first: at most 100, or 12 in lists. Failed reports, reports that were stopped early, and reports that checked less than usual because of their settings are left out. */
  readonly runs: readonly {
    /** The id of the report. */
    readonly report_id: string;
    /** When the report was completed. */
    readonly finished_at: string;
    /** Total errors from all checks. */
    readonly errors: number;
    /** Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked. */
    readonly errors_per_page: number | null;
    /** The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility. */
    readonly severe_free: {
      /** Pages without critical or serious accessibility errors. */
      readonly pages: number;
      /** Pages whose accessibility was checked. */
      readonly checked: number;
    } | null;
    /** Errors with critical impact. */
    readonly critical: number;
    /** Checked web pages without errors. */
    readonly passed: number;
    /** Web pages whose checks have all run. */
    readonly checked: number;
    /** Its counts now, if re-checks, mutings or decisions have changed them since it ended; null if they are the same. */
    readonly now: {
      /** Total errors from all checks. */
      readonly errors: number;
      /** Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked. */
      readonly errors_per_page: number | null;
      /** The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility. */
      readonly severe_free: {
        /** Pages without critical or serious accessibility errors. */
        readonly pages: number;
        /** Pages whose accessibility was checked. */
        readonly checked: number;
      } | null;
      /** Errors with critical impact. */
      readonly critical: number;
      /** Checked web pages without errors. */
      readonly passed: number;
      /** Web pages whose checks have all run. */
      readonly checked: number;
    } | null;
  }[];
}

export interface ShareLink {
  /** Who the link is for. Only you see it. */
  readonly name: string;
  /** The id of the site; null for the link of a tag. */
  readonly site_id: string | null;
  /** The tag; null for the link of a site. */
  readonly tag: string | null;
  /** The sites that it opens now. The link does not work while it opens none, because its sites are archived or have lost the tag. */
  readonly num_sites: number;
  /** Anyone with this URL can read the complete reports of the sites, without an account. Its last segment is a secret that `GET /share/sites` accepts in place of an API token. Absent for read-only tokens, and if it was encrypted with another key. */
  readonly share_url?: string;
  /** When it was created. */
  readonly inserted_at: string;
}

export interface WebPage {
  /** Its URL, without a fragment. A mark of a journey has the root of the site, followed by `#journey/`, the name of the journey, `/` and the name of the mark, which is missing for the end of a journey. */
  readonly url: string;
  /** The journey that it is a mark of; null for other pages. */
  readonly journey: string | null;
  /** The name of this mark in the journey; null for other pages, and for the end of a journey that failed after its last mark. */
  readonly journey_step: string | null;
  /** The URL of the page at the mark, or where the journey failed; null for pages that are not marks. */
  readonly reached_url: string | null;
  /** Whether its document, which the HTML check examines, is the DOM that the browser had at a mark, and not what the server sent. */
  readonly is_rendered_dom: boolean;
  /** How the request was authenticated: by the `login` of the report, or by `credentials`, which are HTTP Basic, headers or cookies. Null if they were not sent for this page, if the site refused them, or if it did not respond. At a mark of a journey, its own steps do not count. */
  readonly signed_in: 'login' | 'credentials' | null;
  /** The name that the `login` enters before its first secret; null if there is none, and for readers who cannot read the source of the page. */
  readonly signed_in_as: string | null;
  /** The URL of the page or sitemap where the spider first found it; null for the starting and initial URLs. */
  readonly linked_from: string | null;
  /** The title of the document; null if it has none. */
  readonly title: string | null;
  /** The HTTP status of the response; null if there was none. */
  readonly http_status: number | null;
  /** The `Content-Type` of the response; null if there was none. */
  readonly content_type: string | null;
  /** Why the dynamic crawler could not render it, so that only links in the HTML from the server were followed; null if it could, or did not need to. */
  readonly render_error: string | null;
  /** The code of `render_error`, which stays the same when its wording changes; null if `render_error` is null. */
  readonly render_error_code: string | null;
  /** The HTML check. Null if not enabled. */
  readonly html_check: {
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
    /** The status of the check. */
    readonly status: 'pending' | 'checked' | 'failed';
    /** Why the check failed; null if it did not. */
    readonly error: string | null;
    /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
    readonly error_code: string | null;
    /** A note about the check, for example that the page never settled or was nearly empty; null if there is none. */
    readonly note: string | null;
    /** The results of the last re-check for the occurrences, excluding muted ones; null if the page was not checked again, or if the results could not be compared because the check failed, had no previous result, or has more than 20,000 occurrences. */
    readonly recheck: {
      /** Occurrences that were fixed. */
      readonly fixed: number;
      /** Occurrences that remain. */
      readonly still: number;
      /** New occurrences. */
      readonly new: number;
      /** Why occurrences were fixed or are new. `site`: the site changed. `engine`: the document is the same, but the engine version is different. `measurement`: both are the same and no style sheet, script or font changed, so the result varies, or an image or data loaded by scripts changed. */
      readonly cause: 'site' | 'engine' | 'measurement';
      /** When the check ended. */
      readonly checked_at: string;
    } | null;
    /** The earlier check whose result was reused, because nothing that the result depends on has changed; null if the page was checked for this report. */
    readonly reused_from: {
      /** The report in which the page was checked. It may have been deleted since. */
      readonly report_id: string;
      /** When the page was checked. */
      readonly checked_at: string;
    } | null;
  } | null;
  /** The accessibility check. Null if not enabled. */
  readonly a11y_check: {
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
    /** Errors and warnings by impact, including findings that need review. */
    readonly severity: {
      /** Errors and warnings with minor impact. */
      readonly minor: number;
      /** Errors and warnings with moderate impact. */
      readonly moderate: number;
      /** Errors and warnings with serious impact. */
      readonly serious: number;
      /** Errors and warnings with critical impact. */
      readonly critical: number;
      /** The totals across all impacts. */
      readonly total: {
        /** Number of errors: occurrences, not issue types, excluding muted ones. */
        readonly errors: number;
        /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
        readonly warnings: number;
        /** Errors and warnings together. */
        readonly total: number;
      };
    };
    /** Errors by impact, excluding findings that need review. They add up to `errors`. */
    readonly errors_by_impact: {
      /** Errors with minor impact. */
      readonly minor: number;
      /** Errors with moderate impact. */
      readonly moderate: number;
      /** Errors with serious impact. */
      readonly serious: number;
      /** Errors with critical impact. */
      readonly critical: number;
    };
    /** The status of the check. */
    readonly status: 'pending' | 'checked' | 'failed';
    /** Why the check failed; null if it did not. */
    readonly error: string | null;
    /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
    readonly error_code: string | null;
    /** A note about the check, for example that the page never settled or was nearly empty; null if there is none. */
    readonly note: string | null;
    /** The results of the last re-check for the occurrences, excluding muted ones; null if the page was not checked again, or if the results could not be compared because the check failed, had no previous result, or has more than 20,000 occurrences. */
    readonly recheck: {
      /** Occurrences that were fixed. */
      readonly fixed: number;
      /** Occurrences that remain. */
      readonly still: number;
      /** New occurrences. */
      readonly new: number;
      /** Why occurrences were fixed or are new. `site`: the site changed. `engine`: the document is the same, but the engine version is different. `measurement`: both are the same and no style sheet, script or font changed, so the result varies, or an image or data loaded by scripts changed. */
      readonly cause: 'site' | 'engine' | 'measurement';
      /** When the check ended. */
      readonly checked_at: string;
    } | null;
    /** The earlier check whose result was reused, because nothing that the result depends on has changed; null if the page was checked for this report. */
    readonly reused_from: {
      /** The report in which the page was checked. It may have been deleted since. */
      readonly report_id: string;
      /** When the page was checked. */
      readonly checked_at: string;
    } | null;
    /** How many states of the page were opened and checked, such as menus and dialogs; null without `explore_states`. */
    readonly opened_states: number | null;
    /** The consent banner of the page: `dismissed` before the check, on this page or an earlier one; `kept`, because it is the first page of the report or because the banner could not be dismissed; `none` if it had none. Null without `consent` in the report. */
    readonly consent: 'dismissed' | 'kept' | 'none' | null;
  } | null;
  /** The link check. Absent if not enabled. */
  readonly link_check?: {
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
    /** The status of the check. */
    readonly status: 'pending' | 'checked' | 'failed';
    /** Why the check failed; null if it did not. */
    readonly error: string | null;
    /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
    readonly error_code: string | null;
    /** A note about the check, for example that the page never settled or was nearly empty; null if there is none. */
    readonly note: string | null;
    /** The results of the last re-check for the occurrences, excluding muted ones; null if the page was not checked again, or if the results could not be compared because the check failed, had no previous result, or has more than 20,000 occurrences. */
    readonly recheck: {
      /** Occurrences that were fixed. */
      readonly fixed: number;
      /** Occurrences that remain. */
      readonly still: number;
      /** New occurrences. */
      readonly new: number;
      /** Why occurrences were fixed or are new. `site`: the site changed. `engine`: the document is the same, but the engine version is different. `measurement`: both are the same and no style sheet, script or font changed, so the result varies, or an image or data loaded by scripts changed. */
      readonly cause: 'site' | 'engine' | 'measurement';
      /** When the check ended. */
      readonly checked_at: string;
    } | null;
    /** The earlier check whose result was reused, because nothing that the result depends on has changed; null if the page was checked for this report. */
    readonly reused_from: {
      /** The report in which the page was checked. It may have been deleted since. */
      readonly report_id: string;
      /** When the page was checked. */
      readonly checked_at: string;
    } | null;
  } | null;
  /** The status of all enabled checks: `failed` if one failed, `pending` if all are pending, `checking` if some are pending, otherwise `checked`. */
  readonly status: 'pending' | 'checking' | 'checked' | 'failed';
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** When a check of the page last ended; null before the first one. */
  readonly last_checked_at: string | null;
  /** What the page takes up in the database, without indexes. Absent in lists. */
  readonly size?: {
    /** Bytes of its checks and issues. */
    readonly results: number;
    /** Bytes of its document, even if other pages have the same document. */
    readonly document: number;
    /** Bytes of its screenshots, even if other pages have the same screenshots. */
    readonly screenshots: number;
  };
  /** The first other page of the report for which the server sent the same document. Absent if there is none, and in lists. */
  readonly same_document_as?: {
    /** Its id. */
    readonly web_page_id: string;
    /** Its URL. */
    readonly url: string;
  };
}

export interface WebPageSource {
  /** The decoded document. CR, LF and CRLF end a line, and columns count UTF-16 code units. Each character of site credentials is replaced by `*`. */
  readonly text: string;
  /** Characters omitted at the end of `text`, because the document has more than 2,000,000. */
  readonly omitted: number;
  /** The encoding with which it was decoded, as the Encoding Standard names it. */
  readonly encoding: string;
  /** Bytes of the document, before it was decoded. */
  readonly size: number;
  /** Lines of the document. */
  readonly lines: number;
  /** When the document was fetched. */
  readonly fetched_at: string;
}

export interface CommonHtmlIssue {
  /** Id of its report. */
  readonly report_id: string;
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** A finer classification: `fatal` for errors that stopped the parser, `info` for informational warnings; null for most issues. */
  readonly issue_sub_type: string | null;
  /** The validator's message. Messages of more than 4,096 characters are shortened in the middle, with `…`. */
  readonly message: string;
  /** What the message is about, in a fixed vocabulary that does not change with the wording of messages. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How it changed since the previous report. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `more`, `fewer`, `persisting`: it has more, fewer or as many occurrences as before, compared only where both reports looked for them. `not_checked_before`: none could be compared, for example because the previous report did not check their pages. Null without a previous report. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | null;
  /** Its occurrences by their change since the previous report; null without one. */
  readonly changed_occurrences: {
    /** Occurrences that were not in the earlier report. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
    readonly not_checked_before: number;
    /** Occurrences that both reports have. */
    readonly persisting: number;
    /** Occurrences only in the earlier report. */
    readonly fixed: number;
    /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
    readonly unverified: number;
  } | null;
  /** Its occurrences in the previous report; null without one. */
  readonly how_many_before: number | null;
  /** When the first report of the site with this issue was created; null while the report is running. */
  readonly first_seen_at: string | null;
  /** Number of occurrences in the whole report, excluding muted ones unless requested. */
  readonly how_many: number;
  /** Number of web pages with this issue. */
  readonly num_web_pages: number;
  /** Whether its rule does not belong to the report's standard, so that it does not count. */
  readonly outside_standard: boolean;
  /** The decision about all its occurrences; null if there is none. Decided occurrences of a rule are separate common issues. */
  readonly verdict: 'error' | 'not_an_error' | 'later' | null;
}

export interface CommonA11yIssue {
  /** Id of its report. */
  readonly report_id: string;
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** The id of the axe rule. */
  readonly rule_id: string;
  /** What the rule requires. */
  readonly help: string;
  /** A page about the rule and how to fix the issue. */
  readonly help_url: string;
  /** How severely the issue affects people. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical';
  /** The impact as a number, from 1 for minor to 4 for critical. */
  readonly impact_order: number;
  /** The tags of the rule in axe: standards, success criteria, categories. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How it changed since the previous report. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `more`, `fewer`, `persisting`: it has more, fewer or as many occurrences as before, compared only where both reports looked for them. `not_checked_before`: none could be compared, for example because the previous report did not check their pages. Null without a previous report. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | null;
  /** Its occurrences by their change since the previous report; null without one. */
  readonly changed_occurrences: {
    /** Occurrences that were not in the earlier report. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
    readonly not_checked_before: number;
    /** Occurrences that both reports have. */
    readonly persisting: number;
    /** Occurrences only in the earlier report. */
    readonly fixed: number;
    /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
    readonly unverified: number;
  } | null;
  /** Its occurrences in the previous report; null without one. */
  readonly how_many_before: number | null;
  /** When the first report of the site with this issue was created; null while the report is running. */
  readonly first_seen_at: string | null;
  /** Number of occurrences in the whole report, excluding muted ones unless requested. */
  readonly how_many: number;
  /** Number of web pages with this issue. */
  readonly num_web_pages: number;
  /** Whether its rule does not belong to the report's standard, so that it does not count. */
  readonly outside_standard: boolean;
  /** The decision about all its occurrences; null if there is none. Decided occurrences of a rule are separate common issues. */
  readonly verdict: 'error' | 'not_an_error' | 'later' | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface CommonLinkIssue {
  /** Id of its report. */
  readonly report_id: string;
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** The kind of problem: a status such as `http_404`, or a code such as `name_not_found` or `redirect_loop`. `docs/link-checks.md` lists them all. */
  readonly rule_id: string;
  /** The problem and the URL of the link. */
  readonly message: string;
  /** The category of the problem, such as `client error`, `server error` or `certificate`. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How it changed since the previous report. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `more`, `fewer`, `persisting`: it has more, fewer or as many occurrences as before, compared only where both reports looked for them. `not_checked_before`: none could be compared, for example because the previous report did not check their pages. Null without a previous report. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | null;
  /** Its occurrences by their change since the previous report; null without one. */
  readonly changed_occurrences: {
    /** Occurrences that were not in the earlier report. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
    readonly not_checked_before: number;
    /** Occurrences that both reports have. */
    readonly persisting: number;
    /** Occurrences only in the earlier report. */
    readonly fixed: number;
    /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
    readonly unverified: number;
  } | null;
  /** Its occurrences in the previous report; null without one. */
  readonly how_many_before: number | null;
  /** When the first report of the site with this issue was created; null while the report is running. */
  readonly first_seen_at: string | null;
  /** Number of occurrences in the whole report, excluding muted ones unless requested. */
  readonly how_many: number;
  /** Number of web pages with this issue. */
  readonly num_web_pages: number;
  /** Whether its rule does not belong to the report's standard, so that it does not count. */
  readonly outside_standard: boolean;
  /** The decision about all its occurrences; null if there is none. Decided occurrences of a rule are separate common issues. */
  readonly verdict: 'error' | 'not_an_error' | 'later' | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface Cluster {
  /** The start tag or other source code of the issue; the URL for links. Shortened in the middle, with `…`, to 500 characters. */
  readonly markup: string;
  /** The selector of the element, through frames and shadow roots with `>>`; null for checks without selectors. Shortened in the middle, with `…`, to 500 characters. */
  readonly selector: string | null;
  /** What has to be edited, if it is not the element: the colors of text and background if their contrast is insufficient, or the start tag of another element, such as the image in a link without a name, or the element that has to become a landmark. Null if the element itself has to be edited. */
  readonly cause: string | null;
  /** The style rule that sets the color of the text; in a fix or a cluster, of its first occurrence. Null if it is not known, for example because its style sheet is on another host, and for other issues. */
  readonly style_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The style rule that sets the color of the background, of the element or of an element behind it; in a fix or a cluster, of its first occurrence. Null if it is not known, and for other issues. */
  readonly background_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The color to edit. The same rule sets it for all occurrences of the fix or cluster, `style_rule` for `text` and `background_rule` for `background`, so one edit fixes them all. It is the background if even white (for light text) or black (for dark text) would not have enough contrast. Null if the rule is not known: the occurrences are then grouped by their colors. Null for other issues. */
  readonly edited_color: 'text' | 'background' | null;
  /** Number of its occurrences in the report. */
  readonly how_many: number;
  /** Number of pages with these occurrences. */
  readonly num_web_pages: number;
  /** Its first occurrence, which `markup` and `selector` belong to. */
  readonly sample: {
    /** The id of its web page. */
    readonly web_page_id: string;
    /** The URL of its web page. */
    readonly url: string;
    /** The id of the occurrence. */
    readonly occurrence: string;
    /** The line in the source where it starts, counted from 1; null if not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units; null if not known. */
    readonly column: number | null;
  };
}

export interface Occurrence {
  /** The id of its web page. */
  readonly web_page_id: string;
  /** The URL of its web page. */
  readonly url: string;
  /** The start tag or other source code of the issue; the URL for links. Shortened in the middle, with `…`, to 500 characters. */
  readonly markup: string;
  /** The selector of the element, through frames and shadow roots with `>>`; null for checks without selectors. Shortened in the middle, with `…`, to 500 characters. */
  readonly selector: string | null;
  /** What has to be edited, if it is not the element: the colors of text and background if their contrast is insufficient, or the start tag of another element, such as the image in a link without a name, or the element that has to become a landmark. Null if the element itself has to be edited. */
  readonly cause: string | null;
  /** The style rule that sets the color of the text; in a fix or a cluster, of its first occurrence. Null if it is not known, for example because its style sheet is on another host, and for other issues. */
  readonly style_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The style rule that sets the color of the background, of the element or of an element behind it; in a fix or a cluster, of its first occurrence. Null if it is not known, and for other issues. */
  readonly background_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The color to edit. The same rule sets it for all occurrences of the fix or cluster, `style_rule` for `text` and `background_rule` for `background`, so one edit fixes them all. It is the background if even white (for light text) or black (for dark text) would not have enough contrast. Null if the rule is not known: the occurrences are then grouped by their colors. Null for other issues. */
  readonly edited_color: 'text' | 'background' | null;
  /** The source code around the occurrence; null for checks that report elements or links. Shortened in the middle, with `…`, to 500 characters. */
  readonly extract: string | null;
  /** The line in the source where it starts, counted from 1; null if not known. */
  readonly line: number | null;
  /** The column, from 1, in UTF-16 code units; null if not known. */
  readonly column: number | null;
  /** `[x, y, width, height]` in CSS pixels from the top left corner of the page; null if the element is invisible or in a frame, and for checks that do not report elements. */
  readonly box: readonly number[] | null;
  /** How to reach the state of the page that has the issue; null for the page as it is when nothing has been opened. Shortened in the middle, with `…`, to 500 characters. */
  readonly reached_by: string | null;
  /** What to fix, in sentences; null if the message says it. Shortened in the middle, with `…`, to 1000 characters. */
  readonly failure_summary: string | null;
  /** How the occurrence changed since the previous report. `new`: the previous report did not have it. `persisting`: it did. `regressed`: it had been fixed and is back. `not_checked_before`: an earlier report had it, but the previous one did not check the page. Null if the two reports are not compared, if the page has more than 20,000 occurrences of this type of check in one of them, while the page is checked again, and if the issue is muted. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
  /** Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted. */
  readonly recheck: 'still' | 'new' | null;
  /** The decision of a person about it; null if there is none. */
  readonly decision: {
    /** The id of the decision. */
    readonly id: string;
    /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
    readonly scope: 'occurrence' | 'cause' | 'rule';
    /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
    readonly verdict: 'error' | 'not_an_error' | 'later';
    /** Why, at most 1000 characters. Visible to everyone who can see the report. */
    readonly note: string;
    /** Who decided. Visible to everyone who can see the report. Empty if unknown. */
    readonly assessor: string;
    /** When it was made or last changed. */
    readonly decided_at: string;
  } | null;
  /** The id of its cluster. */
  readonly cluster: string;
}

export interface HtmlIssue {
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** A finer classification: `fatal` for errors that stopped the parser, `info` for informational warnings; null for most issues. */
  readonly issue_sub_type: string | null;
  /** The validator's message. Messages of more than 4,096 characters are shortened in the middle, with `…`. */
  readonly message: string;
  /** What the message is about, in a fixed vocabulary that does not change with the wording of messages. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** The decision of a person about it; null if there is none. */
  readonly decision: {
    /** The id of the decision. */
    readonly id: string;
    /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
    readonly scope: 'occurrence' | 'cause' | 'rule';
    /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
    readonly verdict: 'error' | 'not_an_error' | 'later';
    /** Why, at most 1000 characters. Visible to everyone who can see the report. */
    readonly note: string;
    /** Who decided. Visible to everyone who can see the report. Empty if unknown. */
    readonly assessor: string;
    /** When it was made or last changed. */
    readonly decided_at: string;
  } | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How the issue changed on this page since the previous report: `new` if all its occurrences are new, `regressed` if it had been fixed; null if its occurrences are not compared. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
  /** The occurrences, in document order. */
  readonly html: readonly {
    /** The source code around the occurrence. */
    readonly extract: string;
    /** The position in the source code. */
    readonly coordinates: {
      /** The line where the occurrence starts, counted from 1. */
      readonly first_line: number;
      /** The line where it ends. */
      readonly last_line: number;
      /** The column where it starts, counted from 1; null if the validator reports none. */
      readonly first_column: number | null;
      /** The column where it ends. */
      readonly last_column: number;
      /** Where the occurrence starts in `extract`, in characters, counted from 0. */
      readonly hilite_start: number;
      /** The length of the occurrence in `extract`, in characters. */
      readonly hilite_length: number;
    };
    /** Identifies the occurrence in all reports. */
    readonly fingerprint: string;
    /** How the occurrence changed since the previous report. `new`: the previous report did not have it. `persisting`: it did. `regressed`: it had been fixed and is back. `not_checked_before`: an earlier report had it, but the previous one did not check the page. Null if the two reports are not compared, if the page has more than 20,000 occurrences of this type of check in one of them, while the page is checked again, and if the issue is muted. */
    readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
    /** Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted. */
    readonly recheck: 'still' | 'new' | null;
  }[];
  /** Occurrences on this page. */
  readonly how_many: number;
  /** Number of occurrences omitted because the list would be too large. Get the issue itself, at `links.self`, for all of them. */
  readonly omitted: number;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface A11yIssue {
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** The id of the axe rule. */
  readonly rule_id: string;
  /** What the rule requires. */
  readonly help: string;
  /** A page about the rule and how to fix the issue. */
  readonly help_url: string;
  /** How severely the issue affects people. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical';
  /** The impact as a number, from 1 for minor to 4 for critical. */
  readonly impact_order: number;
  /** The tags of the rule in axe: standards, success criteria, categories. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** The decision of a person about it; null if there is none. */
  readonly decision: {
    /** The id of the decision. */
    readonly id: string;
    /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
    readonly scope: 'occurrence' | 'cause' | 'rule';
    /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
    readonly verdict: 'error' | 'not_an_error' | 'later';
    /** Why, at most 1000 characters. Visible to everyone who can see the report. */
    readonly note: string;
    /** Who decided. Visible to everyone who can see the report. Empty if unknown. */
    readonly assessor: string;
    /** When it was made or last changed. */
    readonly decided_at: string;
  } | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How the issue changed on this page since the previous report: `new` if all its occurrences are new, `regressed` if it had been fixed; null if its occurrences are not compared. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
  /** The URL of the document: the web page or a frame in it. */
  readonly url: string;
  /** The affected elements, in document order; then the elements of states that have to be reached. */
  readonly html: readonly string[];
  /** The selectors of each element: one per frame, the last for the element itself. In shadow roots, a selector is an array. */
  readonly targets: readonly (readonly (string | readonly string[])[])[];
  /** Where each element is in the source that the server sent and on the page, and how it changed. Elements in frames and shadow roots have no line. */
  readonly occurrences: readonly {
    /** The line of its start tag, counted from 1; null if it could not be found. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** Whether a script created the element, so that `line` is null. If false and `line` is null, it was not found in the source. */
    readonly made_by_script: boolean;
    /** How to reach the state of the page in which the element has the issue; null for the page as it is when nothing has been opened. See `explore_states`. */
    readonly reached_by: string | null;
    /** `[x, y, width, height]` in CSS pixels from the top left corner of the page; null if it is invisible, is in a frame, or is in a state that has to be reached. */
    readonly box: readonly number[] | null;
    /** Identifies the occurrence in all reports. */
    readonly fingerprint: string;
    /** How the occurrence changed since the previous report. `new`: the previous report did not have it. `persisting`: it did. `regressed`: it had been fixed and is back. `not_checked_before`: an earlier report had it, but the previous one did not check the page. Null if the two reports are not compared, if the page has more than 20,000 occurrences of this type of check in one of them, while the page is checked again, and if the issue is muted. */
    readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
    /** Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted. */
    readonly recheck: 'still' | 'new' | null;
  }[];
  /** What axe found wrong with the elements, in sentences; null if axe does not say. */
  readonly failure_summary: string | null;
  /** Affected elements. */
  readonly how_many: number;
  /** Number of occurrences omitted because the list would be too large. Get the issue itself, at `links.self`, for all of them. */
  readonly omitted: number;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface LinkIssue {
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** The kind of problem: a status such as `http_404`, or a code such as `name_not_found` or `redirect_loop`. `docs/link-checks.md` lists them all. */
  readonly rule_id: string;
  /** The problem and the URL of the link. */
  readonly message: string;
  /** The category of the problem, such as `client error`, `server error` or `certificate`. */
  readonly tags: readonly string[];
  /** How to fix it, in one or two sentences; null if the message is the only guidance. */
  readonly remedy: string | null;
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** The decision of a person about it; null if there is none. */
  readonly decision: {
    /** The id of the decision. */
    readonly id: string;
    /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
    readonly scope: 'occurrence' | 'cause' | 'rule';
    /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
    readonly verdict: 'error' | 'not_an_error' | 'later';
    /** Why, at most 1000 characters. Visible to everyone who can see the report. */
    readonly note: string;
    /** Who decided. Visible to everyone who can see the report. Empty if unknown. */
    readonly assessor: string;
    /** When it was made or last changed. */
    readonly decided_at: string;
  } | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** How the issue changed on this page since the previous report: `new` if all its occurrences are new, `regressed` if it had been fixed; null if its occurrences are not compared. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
  /** The links. */
  readonly links: readonly {
    /** The URL of the link, without its fragment. */
    readonly url: string;
    /** The final URL, after redirects. */
    readonly final_url: string;
    /** Identifies the occurrence in all reports. */
    readonly fingerprint: string;
    /** How the occurrence changed since the previous report. `new`: the previous report did not have it. `persisting`: it did. `regressed`: it had been fixed and is back. `not_checked_before`: an earlier report had it, but the previous one did not check the page. Null if the two reports are not compared, if the page has more than 20,000 occurrences of this type of check in one of them, while the page is checked again, and if the issue is muted. */
    readonly change: 'new' | 'regressed' | 'not_checked_before' | 'persisting' | null;
    /** Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted. */
    readonly recheck: 'still' | 'new' | null;
  }[];
  /** Number of links: 1, except for links that were not checked. */
  readonly how_many: number;
  /** Number of occurrences omitted because the list would be too large. Get the issue itself, at `links.self`, for all of them. */
  readonly omitted: number;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface Recheck {
  /** Number of web pages to check again. */
  readonly num_web_pages: number;
  /** Number of checks that cost a credit each. Checks that had not started yet are already paid for. */
  readonly credits: number;
  /** Its checks by status. Checks of deleted pages are not included. */
  readonly status: {
    /** Checks that have not ended. */
    readonly pending: number;
    /** Checks that ran. */
    readonly checked: number;
    /** Checks that failed. Their previous occurrences count as neither fixed nor remaining. */
    readonly failed: number;
  };
  /** The results for the occurrences of all checks that have ended, excluding muted ones. */
  readonly occurrences: {
    /** Occurrences that were fixed. */
    readonly fixed: number;
    /** Occurrences that remain. */
    readonly still: number;
    /** New occurrences. */
    readonly new: number;
  };
  /** Checks that ran but are not compared: they had no previous result, or have more than 20,000 occurrences. */
  readonly uncompared: number;
  /** The type of check of the common issue; null if pages were given. */
  readonly kind: 'html' | 'a11y' | 'link' | null;
  /** The id of the common issue, which no longer exists if all its occurrences are fixed; null if pages were given. */
  readonly common_issue_id: string | null;
  /** The message of the common issue; null if pages were given. */
  readonly message: string | null;
  /** The results for the occurrences of the common issue; null if pages were given. */
  readonly occurrences_of_issue: {
    /** Occurrences that were fixed. */
    readonly fixed: number;
    /** Occurrences that remain. */
    readonly still: number;
    /** New occurrences. */
    readonly new: number;
  } | null;
  /** When it was requested. */
  readonly inserted_at: string;
  /** When its last check ended; null until then. */
  readonly finished_at: string | null;
}

export interface FixedIssue {
  /** The type of check. */
  readonly kind: 'html' | 'a11y' | 'link';
  /** The start of the message, or of the help text of the rule. */
  readonly message: string;
  /** The id of the rule; null for checks whose rules have no ids. */
  readonly rule_id: string | null;
  /** The impact; null for checks that do not grade their issues. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** Number of its occurrences that were fixed. */
  readonly how_many: number;
}

export interface Decision {
  /** The site. */
  readonly site_id: string;
  /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
  readonly scope: 'occurrence' | 'cause' | 'rule';
  /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
  readonly verdict: 'error' | 'not_an_error' | 'later';
  /** Why, at most 1000 characters. Visible to everyone who can see the report. */
  readonly note: string;
  /** Who decided. Visible to everyone who can see the report. Empty if unknown. */
  readonly assessor: string;
  /** When it was made or last changed. */
  readonly decided_at: string;
  /** The type of check. */
  readonly kind: 'html' | 'a11y' | 'link';
  /** The message, or the help text of the rule. */
  readonly message: string;
  /** The id of the rule; null for checks whose rules have no ids. */
  readonly rule_id: string | null;
  /** The impact; null for checks that do not grade their issues. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** The start tag or other source code of the occurrence for which it was made, shortened to 500 characters. */
  readonly markup: string;
  /** The page, with the scope `occurrence`; otherwise null. */
  readonly page_url: string | null;
  /** Number of occurrences in the newest report of the site that it applies to. Updated in the background. */
  readonly how_many: number;
}

export interface IssueChange {
  /** The type of check. */
  readonly kind: 'html' | 'a11y' | 'link';
  /** The message, or the help text of the rule. */
  readonly message: string;
  /** The id of the rule; null for checks whose rules have no ids. */
  readonly rule_id: string | null;
  /** The impact; null for checks that do not grade their issues. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  /** Identifies the issue type in all reports. */
  readonly fingerprint: string;
  /** The certainty: an `error` is a definite problem, a `warning` requires review. */
  readonly issue_type: 'error' | 'warning';
  /** How the issue type changed. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `fixed`: all are fixed. `more`, `fewer`, `persisting`: it has more occurrences than before, fewer, or the same number, compared only where both reports looked for them. `not_checked_before`: no occurrence could be compared, and some were not checked before. `unverified`: all are unverified. */
  readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | 'fixed' | 'unverified';
  /** Occurrences by change. */
  readonly occurrences: {
    /** Occurrences that were not in the earlier report. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
    readonly not_checked_before: number;
    /** Occurrences that both reports have. */
    readonly persisting: number;
    /** Occurrences only in the earlier report. */
    readonly fixed: number;
    /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
    readonly unverified: number;
  };
  /** Why most of its occurrences changed. `site`: the document, a style sheet, a script or a font changed. `engine`: the document is the same, but the version of the validator, axe or the browser is different. `settings`: the two reports have different settings. `muting`: the occurrence is muted in one of the two reports. `decision`: a decision makes it an error, or not an error, in one of the two reports. `measurement`: none of these changed, so the result varies, or an image or data loaded by scripts changed. For occurrences that only one report looked for, also `page_gone`: the page now returns 404 or 410. `not_checked`: the page could not be checked for another reason. `page_missing`: only one report has the page. `too_many_occurrences`: one of the reports has too many occurrences. */
  readonly cause: 'site' | 'engine' | 'settings' | 'measurement' | 'muting' | 'decision' | 'page_gone' | 'not_checked' | 'page_missing' | 'too_many_occurrences';
  /** Changed occurrences by cause, and occurrences in both reports that are errors in one of them only because of a decision. */
  readonly causes: {
    /** Occurrences changed by the cause site. */
    readonly site: number;
    /** Occurrences changed by the cause engine. */
    readonly engine: number;
    /** Occurrences changed by the cause settings. */
    readonly settings: number;
    /** Occurrences changed by the cause measurement. */
    readonly measurement: number;
    /** Occurrences changed by the cause muting. */
    readonly muting: number;
    /** Occurrences changed by the cause decision. */
    readonly decision: number;
    /** Occurrences changed by the cause page_gone. */
    readonly page_gone: number;
    /** Occurrences changed by the cause not_checked. */
    readonly not_checked: number;
    /** Occurrences changed by the cause page_missing. */
    readonly page_missing: number;
    /** Occurrences changed by the cause too_many_occurrences. */
    readonly too_many_occurrences: number;
  };
  /** Occurrences that decisions have changed. They are neither new nor fixed. */
  readonly decided: {
    /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
    readonly error: number;
    /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
    readonly not_an_error: number;
    /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
    readonly error_before: number;
    /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
    readonly not_an_error_before: number;
  };
  /** Occurrences in this report. */
  readonly how_many: number;
  /** Occurrences in the earlier report. */
  readonly how_many_before: number;
  /** Pages with the issue in this report. */
  readonly num_web_pages: number;
  /** Pages with the issue in the earlier report. */
  readonly num_web_pages_before: number;
  /** One of the occurrences in this report, a new one if there is one; null if this report has none, and while the comparison is recomputed after a re-check of its page. */
  readonly sample: {
    /** The id of its web page. */
    readonly web_page_id: string;
    /** The URL of its web page. */
    readonly url: string;
    /** The id of the occurrence. */
    readonly occurrence: string;
    /** The line in the source where it starts, counted from 1; null if not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units; null if not known. */
    readonly column: number | null;
  } | null;
}

export interface PageChange {
  /** `broken`: a check that ran in the earlier report failed in this one because of the page, for example because it now returns 404. `recovered`: the reverse. `added` and `removed`: only this report or only the earlier one has the page. */
  readonly change: 'broken' | 'recovered' | 'added' | 'removed';
  /** The URL of the page. */
  readonly url: string;
  /** Its title; null without one. */
  readonly title: string | null;
  /** Its HTTP status, in the earlier report for a removed page; null if there was no response, and for a mark whose journey failed. */
  readonly http_status: number | null;
  /** Its HTTP status in the earlier report; null if there was no response, for a mark whose journey failed, and for an added page. */
  readonly http_status_before: number | null;
  /** Whether the other report lacks the page because someone deleted it from that report. False for pages that both reports have. */
  readonly deleted: boolean;
  /** Whether an added page is in one of the ten reports of the site that precede the earlier report. False for other changes. */
  readonly found_again: boolean;
  /** Why a broken or added page could not be checked; null if it could. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
}

export interface Fix {
  /** The type of check. */
  readonly kind: 'html' | 'a11y' | 'link';
  /** The message, or the help text of the rule. */
  readonly message: string;
  /** The id of the rule; null for checks whose rules have no ids. */
  readonly rule_id: string | null;
  /** The impact; null for checks that do not grade their issues. */
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  /** The tags of the common issue, such as the standards it violates. */
  readonly tags: readonly string[];
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly effect_on_visitors: string | null;
  /** How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it. */
  readonly hindrance: 'severe' | 'some' | 'none';
  /** The markup of the first occurrence, shortened. */
  readonly markup: string;
  /** Whether other occurrences have different markup, such as another link target, so that `markup` is an example. The first 20 pages with the issue type are compared. False with a `cause`. */
  readonly markup_differs: boolean;
  /** What has to be edited, if it is not the element: the colors of text and background if their contrast is insufficient, or the start tag of another element, such as the image in a link without a name, or the element that has to become a landmark. Null if the element itself has to be edited. */
  readonly cause: string | null;
  /** The style rule that sets the color of the text; in a fix or a cluster, of its first occurrence. Null if it is not known, for example because its style sheet is on another host, and for other issues. */
  readonly style_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The style rule that sets the color of the background, of the element or of an element behind it; in a fix or a cluster, of its first occurrence. Null if it is not known, and for other issues. */
  readonly background_rule: {
    /** Its selector, shortened. */
    readonly selector: string;
    /** The URL of its style sheet; null for a style sheet in the page. */
    readonly url: string | null;
    /** The line of its selector in the style sheet, or in the source of the page; null if it is not known. */
    readonly line: number | null;
    /** The column, from 1, in UTF-16 code units. */
    readonly column: number | null;
    /** The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`. */
    readonly property: string;
    /** Its value, shortened; null in reports that an earlier version checked. */
    readonly value: string | null;
  } | null;
  /** The color to edit. The same rule sets it for all occurrences of the fix or cluster, `style_rule` for `text` and `background_rule` for `background`, so one edit fixes them all. It is the background if even white (for light text) or black (for dark text) would not have enough contrast. Null if the rule is not known: the occurrences are then grouped by their colors. Null for other issues. */
  readonly edited_color: 'text' | 'background' | null;
  /** The selector of the first occurrence; null for checks without selectors. */
  readonly selector: string | null;
  /** Identifies occurrences with this markup: the id of a cluster of the common issue. */
  readonly cluster: string;
  /** Occurrences in the report, including pages that cannot pass because another check failed. */
  readonly how_many: number;
  /** Errors that it removes. An element with errors of several checks counts once for each check. */
  readonly errors: number;
  /** Pages with these occurrences. */
  readonly num_web_pages: number;
  /** Its number in the plan, from 1. */
  readonly position: number;
  /** Pages that pass now. */
  readonly passing_before: number;
  /** Pages that pass if only this is fixed. */
  readonly passing_after: number;
  /** Pages that pass once everything before it in the plan is fixed. */
  readonly passing_before_plan: number;
  /** Pages that pass once this and everything before it in the plan is fixed. */
  readonly passing_after_plan: number;
  /** Other issues that the same edit fixes, up to 50: what other checks or rules report about the same elements, such as a link without text around an image without text, and messages that differ only in the numbers in ids. */
  readonly also: readonly {
    /** The type of check. */
    readonly kind: 'html' | 'a11y' | 'link';
    /** The common issue. */
    readonly common_issue_id: string;
    /** Identifies its occurrences with this markup. */
    readonly cluster: string;
    /** Its message. */
    readonly message: string;
  }[];
}

export interface RawCheck {
  /** The type of check. */
  readonly kind: 'html' | 'a11y' | 'link';
  /** Depending on the kind: the HTML validator's `url`, `messages` and `language`; axe's complete results: `violations`, `incomplete`, `passes`, `inapplicable`; the `links` of the page, each with its `answer`. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Number of messages or affected elements omitted from `raw` because it would be too large. */
  readonly omitted: number;
}

export interface Screenshot {
  /** Width of the screenshot in pixels. */
  readonly width: number;
  /** Height of the screenshot in pixels, at most 16,383. */
  readonly height: number;
  /** Screenshot pixels per CSS pixel of the page. The point `[x, y]` of the page is at `[x * scale, y * scale]`. */
  readonly scale: number;
  /** When it was taken. */
  readonly taken_at: string;
  /** Whether the page is larger than the screenshot. */
  readonly clipped: boolean;
  /** The image, in WebP. The URL needs no token, cannot be guessed, and is valid for at least an hour. To get a new URL, get the screenshot again. */
  readonly image_url: string;
}

export interface ExcludedUrl {
  /** The URL of the deleted page, or the exclusion as entered. */
  readonly url: string;
  /** Whether a page was deleted, or the report was created with the exclusion. */
  readonly reason: 'deleted' | 'exclusion';
  /** When it was created. */
  readonly inserted_at: string;
}

export interface DiscoveredUrl {
  /** The URL, without a fragment. */
  readonly url: string;
  /** The outcome: `page` (a web page of the report), `failed` (a web page of the report that could not be fetched), `redirected` (redirects to `target`), `duplicate` (has `target` as its canonical URL), `not_html` (not HTML), `sitemap` (a sitemap), `robots` (disallowed by robots.txt), `excluded` (matches an exclusion, or looks like a logout), `not_included` (matches none of the inclusions), `off_site` (on another site), `too_deep` (too many links away from the start without `deep_crawl`), `not_listed` (not in the sitemap that the report starts from), `deleted` (a web page deleted from the report), `waiting` (not visited yet), `over_max_pages` (not visited, because the report reached `max_pages`), `not_visited` (not visited, because the crawl ended early). */
  readonly outcome: 'page' | 'failed' | 'redirected' | 'duplicate' | 'not_html' | 'sitemap' | 'robots' | 'excluded' | 'not_included' | 'off_site' | 'too_deep' | 'not_listed' | 'deleted' | 'waiting' | 'over_max_pages' | 'not_visited';
  /** The reason, as a sentence; null if the outcome says it all. */
  readonly detail: string | null;
  /** The code of `detail`, which stays the same when its wording changes; null if `detail` is null. */
  readonly detail_code: string | null;
  /** The URL that replaces it: its redirect target or canonical URL; null if there is none. */
  readonly target: string | null;
  /** The HTTP status of the response; null if there was none. */
  readonly http_status: number | null;
  /** The page or sitemap where the spider first found it; null for the starting and initial URLs. */
  readonly linked_from: string | null;
  /** Number of links from the starting and initial URLs. */
  readonly depth: number;
}

export interface Device {
  /** Same as `id`. */
  readonly id: string;
  /** The name of the device. */
  readonly name: string;
  /** Width of the viewport, in CSS pixels. */
  readonly width: number;
  /** Height of the viewport, in CSS pixels. */
  readonly height: number;
  /** Screen pixels per CSS pixel. */
  readonly device_scale_factor: number;
  /** Whether it uses the viewport that a page declares, as phones do. */
  readonly is_mobile: boolean;
  /** Whether the device is in landscape orientation. */
  readonly is_landscape: boolean;
  /** Whether it has a touch screen. */
  readonly has_touch: boolean;
  /** The user agent of all requests. sitewarden appends its own product token, which is only shown for the default device. */
  readonly user_agent: string;
}

export interface SiteComparison {
  /** Where the period begins: a day in UTC, `first` or `previous`. */
  readonly since: string;
  /** The last day of the period, in UTC; null for the newest report. */
  readonly until: string | null;
  /** The earlier report. The same as `now` if the period has only one report; null without `now`, and if no report precedes it. */
  readonly before: {
    /** The id of the report. */
    readonly report_id: string;
    /** When the report was completed. */
    readonly finished_at: string;
    /** Number of its errors, from all checks. */
    readonly errors: number;
    /** Number of its web pages. */
    readonly num_pages: number;
    /** Same as `pages` of the report. */
    readonly pages: {
      /** Web pages whose enabled checks have all run. */
      readonly checked: number;
      /** Completely checked web pages without unmuted errors. */
      readonly passed: number;
    } | null;
  } | null;
  /** Whether the earlier report finished after the day in `since`, because it is the first report of the site. */
  readonly before_is_later: boolean;
  /** The later report; null if no report had finished by then. */
  readonly now: {
    /** The id of the report. */
    readonly report_id: string;
    /** When the report was completed. */
    readonly finished_at: string;
    /** Number of its errors, from all checks. */
    readonly errors: number;
    /** Number of its web pages. */
    readonly num_pages: number;
    /** Same as `pages` of the report. */
    readonly pages: {
      /** Web pages whose enabled checks have all run. */
      readonly checked: number;
      /** Completely checked web pages without unmuted errors. */
      readonly passed: number;
    } | null;
  } | null;
  /** What changed; null unless there are two reports. */
  readonly found: {
    /** Occurrences by change, as in `meta.changes` of the list of changes. */
    readonly changes: {
      /** Occurrences that are new. */
      readonly new: number;
      /** Occurrences that are regressed. */
      readonly regressed: number;
      /** Occurrences that are not_checked_before. */
      readonly not_checked_before: number;
      /** Occurrences that are persisting. */
      readonly persisting: number;
      /** Occurrences that are fixed. */
      readonly fixed: number;
      /** Occurrences that are unverified. */
      readonly unverified: number;
    };
    /** Occurrences that decisions have changed. They are neither new nor fixed. */
    readonly decided: {
      /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
      readonly error: number;
      /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
      readonly not_an_error: number;
      /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
      readonly error_before: number;
      /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
      readonly not_an_error_before: number;
    };
    /** The errors among these occurrences, excluding warnings and findings that need review. */
    readonly errors: {
      /** Errors among the fixed occurrences. */
      readonly fixed: number;
      /** Errors among the occurrences that are new or back. */
      readonly new: number;
    };
    /** Issue types by change, as in the list of changes. */
    readonly issue_types: {
      /** Issue types that `filter[change]=new` finds. */
      readonly new: number;
      /** Issue types that `filter[change]=regressed` finds. */
      readonly regressed: number;
      /** Issue types that `filter[change]=not_checked_before` finds. */
      readonly not_checked_before: number;
      /** Issue types that `filter[change]=persisting` finds. */
      readonly persisting: number;
      /** Issue types that `filter[change]=fixed` finds. */
      readonly fixed: number;
      /** Issue types that `filter[change]=unverified` finds. */
      readonly unverified: number;
      /** Issue types that `filter[change]=more` finds. */
      readonly more: number;
      /** Issue types that `filter[change]=fewer` finds. */
      readonly fewer: number;
    };
    /** Issue types with fixed occurrences, most fixed occurrences first: at most 100. */
    readonly fixed: readonly {
      /** The type of check. */
      readonly kind: 'html' | 'a11y' | 'link';
      /** The message, or the help text of the rule. */
      readonly message: string;
      /** The id of the rule; null for checks whose rules have no ids. */
      readonly rule_id: string | null;
      /** The impact; null for checks that do not grade their issues. */
      readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
      /** Identifies the issue type in all reports. */
      readonly fingerprint: string;
      /** The certainty: an `error` is a definite problem, a `warning` requires review. */
      readonly issue_type: 'error' | 'warning';
      /** How the issue type as a whole changed, as in the list of changes. */
      readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | 'fixed' | 'unverified';
      /** Occurrences by change. */
      readonly occurrences: {
        /** Occurrences that were not in the earlier report. */
        readonly new: number;
        /** Occurrences that had been fixed in an earlier report and are back. */
        readonly regressed: number;
        /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
        readonly not_checked_before: number;
        /** Occurrences that both reports have. */
        readonly persisting: number;
        /** Occurrences only in the earlier report. */
        readonly fixed: number;
        /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
        readonly unverified: number;
      };
      /** Occurrences in the last report. */
      readonly how_many: number;
      /** Occurrences in the first report. */
      readonly how_many_before: number;
      /** Pages with the issue in the last report. */
      readonly num_web_pages: number;
      /** Pages with the issue in the first report. */
      readonly num_web_pages_before: number;
    }[];
    /** Issue types with fixed occurrences. */
    readonly num_fixed_types: number;
    /** Issue types with occurrences that are new or back, most of these occurrences first: at most 100. */
    readonly new: readonly {
      /** The type of check. */
      readonly kind: 'html' | 'a11y' | 'link';
      /** The message, or the help text of the rule. */
      readonly message: string;
      /** The id of the rule; null for checks whose rules have no ids. */
      readonly rule_id: string | null;
      /** The impact; null for checks that do not grade their issues. */
      readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
      /** Identifies the issue type in all reports. */
      readonly fingerprint: string;
      /** The certainty: an `error` is a definite problem, a `warning` requires review. */
      readonly issue_type: 'error' | 'warning';
      /** How the issue type as a whole changed, as in the list of changes. */
      readonly change: 'new' | 'regressed' | 'not_checked_before' | 'more' | 'fewer' | 'persisting' | 'fixed' | 'unverified';
      /** Occurrences by change. */
      readonly occurrences: {
        /** Occurrences that were not in the earlier report. */
        readonly new: number;
        /** Occurrences that had been fixed in an earlier report and are back. */
        readonly regressed: number;
        /** Occurrences that an even earlier report had, on pages that the earlier report did not check. */
        readonly not_checked_before: number;
        /** Occurrences that both reports have. */
        readonly persisting: number;
        /** Occurrences only in the earlier report. */
        readonly fixed: number;
        /** Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports. */
        readonly unverified: number;
      };
      /** Occurrences in the last report. */
      readonly how_many: number;
      /** Occurrences in the first report. */
      readonly how_many_before: number;
      /** Pages with the issue in the last report. */
      readonly num_web_pages: number;
      /** Pages with the issue in the first report. */
      readonly num_web_pages_before: number;
    }[];
    /** Issue types with occurrences that are new or back. */
    readonly num_new_types: number;
    /** Pages by change. Pages that could not be checked are neither passing nor failing. */
    readonly pages: {
      /** Pages that pass now and had errors before. */
      readonly passing: number;
      /** Pages that passed before and have errors now. */
      readonly failing: number;
      /** Pages that are broken. */
      readonly broken: number;
      /** Pages that are recovered. */
      readonly recovered: number;
      /** Pages that are added. */
      readonly added: number;
      /** Pages that are removed. */
      readonly removed: number;
    };
    /** Pages that pass now and had errors before, most errors first: at most 100. */
    readonly passing: readonly {
      /** The URL of the page, in the last report. */
      readonly url: string;
      /** Its title; null without one. */
      readonly title: string | null;
      /** Number of its errors in the report in which it did not pass. */
      readonly errors: number;
    }[];
    /** Pages that passed before and have errors now, most errors first: at most 100. */
    readonly failing: readonly {
      /** The URL of the page, in the last report. */
      readonly url: string;
      /** Its title; null without one. */
      readonly title: string | null;
      /** Number of its errors in the report in which it did not pass. */
      readonly errors: number;
    }[];
    /** How the pages of the two reports are matched, as in the list of changes. */
    readonly matched_by: 'url' | 'path';
    /** The settings that differ between the two reports and affect what they check. */
    readonly settings: readonly {
      /** The attribute of the report; `checks` for the enabled types of check, `device` for the name of the device, `signs_in` for site credentials. For `journeys`, the names: both lists are the same if only steps differ. */
      readonly name: string;
      /** Its value in the earlier report. */
      readonly before: string | number | boolean | null | readonly string[];
      /** Its value in this report. */
      readonly now: string | number | boolean | null | readonly string[];
    }[];
  } | null;
}

export interface LoginTest {
  /** Whether reports can sign in with it. */
  readonly works: boolean;
  /** Why they do not work; null if they do. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
  /** The number of the step that failed, from 1; null if all steps worked. */
  readonly failed_step: number | null;
  /** The steps, in order. */
  readonly steps: readonly {
    /** What it does. */
    readonly action: 'open' | 'fill' | 'click' | 'press' | 'select' | 'wait_for' | 'expect';
    /** Whether it worked. */
    readonly done: boolean;
    /** The page after the step: a `data:` URL of an image in WebP. Null if the step was not reached, or if the page shows a secret. */
    readonly screenshot: string | null;
  }[];
  /** A problem with a login that works; null if there is none. For example, if the last page looks the same to signed-out visitors, an ended session cannot be detected. */
  readonly warning: string | null;
}

export interface JourneyTest {
  /** Whether the login of the site and all steps worked. */
  readonly works: boolean;
  /** Why they do not work; null if they do. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
  /** The number of the step that failed, from 1; null if all steps worked. */
  readonly failed_step: number | null;
  /** The steps, in order. */
  readonly steps: readonly {
    /** What it does. */
    readonly action: 'open' | 'fill' | 'click' | 'press' | 'select' | 'wait_for' | 'expect' | 'check';
    /** Whether it worked. */
    readonly done: boolean;
    /** The page after the step: a `data:` URL of an image in WebP. Null if the step was not reached, or if the page shows a secret. */
    readonly screenshot: string | null;
  }[];
}

export interface Site {
  /** What you call it. Empty if you gave it no name. */
  readonly name: string;
  /** Your notes. */
  readonly notes: string;
  /** The `sitewarden sync` file that created the site and whose sync with `--prune` can archive or delete it; null if none did, and for a guest's site. */
  readonly synced_from: string | null;
  /** Whether it is archived: lists leave it out by default, and its schedules do not run. */
  readonly archived: boolean;
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. */
  readonly starting_url: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler: boolean;
  /** Additional URLs from which the spider starts. */
  readonly initial_urls: readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. */
  readonly inclusions: readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. */
  readonly exclusions: readonly string[];
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. */
  readonly wait_for: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. */
  readonly journeys: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. */
  readonly consent: 'accept' | 'reject' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. */
  readonly standard: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse: boolean;
  /** Tags to filter reports by. */
  readonly tags: readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** Whether it has `basic_auth`, `headers`, `cookies` or a `login` for the site, which are not shown. If so, URLs that sign users out (such as `/logout` or `?action=logout`) are skipped unless they are initial URLs. If it sends a cookie or an `Authorization` header, pages that redirect to a login page fail. */
  readonly signs_in: boolean;
  /** Whether its stored credentials cannot be decrypted, because the key of the installation was replaced. Enter them again, or delete them; until then, its runs fail. */
  readonly needs_credentials: boolean;
  /** How reports of the site sign in, with `true` in place of each secret; send `true` to keep the stored secret. Null without a login, for a guest's site, and if it cannot be decrypted. */
  readonly login: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** The name of its device; null for the default one. */
  readonly device: string | null;
  /** Its last 12 reports that have ended, newest first. */
  readonly runs: readonly {
    /** The id of the report. */
    readonly report_id: string;
    /** The status of the report: `checking` while some of its pages are being checked again. */
    readonly status: 'finished' | 'failed' | 'checking';
    /** When the report was completed. */
    readonly finished_at: string;
    /** Total errors from all checks. */
    readonly errors: number;
    /** Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked. */
    readonly errors_per_page: number | null;
    /** The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility. */
    readonly severe_free: {
      /** Pages without critical or serious accessibility errors. */
      readonly pages: number;
      /** Pages whose accessibility was checked. */
      readonly checked: number;
    } | null;
    /** Errors with critical impact. */
    readonly critical: number;
    /** Checked web pages without errors. */
    readonly passed: number;
    /** Web pages whose checks have all run. */
    readonly checked: number;
    /** Its counts now, if re-checks, mutings or decisions have changed them since it ended; null if they are the same. */
    readonly now: {
      /** Total errors from all checks. */
      readonly errors: number;
      /** Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked. */
      readonly errors_per_page: number | null;
      /** The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility. */
      readonly severe_free: {
        /** Pages without critical or serious accessibility errors. */
        readonly pages: number;
        /** Pages whose accessibility was checked. */
        readonly checked: number;
      } | null;
      /** Errors with critical impact. */
      readonly critical: number;
      /** Checked web pages without errors. */
      readonly passed: number;
      /** Web pages whose checks have all run. */
      readonly checked: number;
    } | null;
    /** Whether it ended before every page was found and checked, because it was stopped. */
    readonly stopped: boolean;
    /** Whether a report of a schedule passed according to its `fail_on`; null if `verdict` of the report is null. */
    readonly verdict: 'passed' | 'failed' | null;
    /** What the run changed; null if there is no report before it, until they have been compared, and if your plan does not show all types of check. */
    readonly change: {
      /** Occurrences that the previous report did not have. */
      readonly new: number;
      /** Occurrences that had been fixed in an earlier report and are back. */
      readonly regressed: number;
      /** Occurrences of an earlier report on pages that the previous one did not check. */
      readonly not_checked_before: number;
      /** Occurrences that only the previous report has. */
      readonly fixed: number;
      /** Occurrences of the previous report that this report could not check for. */
      readonly unverified: number;
      /** Occurrences that decisions have changed. They are neither new nor fixed. */
      readonly decided: {
        /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
        readonly error: number;
        /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
        readonly not_an_error: number;
        /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
        readonly error_before: number;
        /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
        readonly not_an_error_before: number;
      };
      /** Pages that could be checked in the previous report but not in this one. */
      readonly broken_pages: number;
      /** Pages that could not be checked in the previous report but could in this one. */
      readonly recovered_pages: number;
    } | null;
    /** The attributes in which it differs from the run before it in this list, such as `max_pages`; `checks` for the types of check, `device` for the device. Absent in lists of sites. */
    readonly changed_settings?: readonly string[];
    /** The programs that checked its first pages with a different version than in the run before it in this list. Absent in lists of sites. */
    readonly changed_engines?: readonly {
      /** The program. */
      readonly name: string;
      /** Its version in the previous run. */
      readonly before: string;
      /** Its version in this run. */
      readonly now: string;
    }[];
    /** The mutings of issues of the site that changed between the end of the previous run in this list and the end of this run. Mutings of configuration files are not included. Absent in lists of sites. */
    readonly changed_mutings?: {
      /** Mutings that were created. */
      readonly added: number;
      /** Mutings that were deleted or expired. */
      readonly removed: number;
    };
    /** The decisions about issues of the site that were made, changed or undone between the end of the previous run in this list and the end of this run. Absent in lists of sites. */
    readonly changed_decisions?: number;
    /** Whether a deploy hook started it. Absent in lists of sites. */
    readonly deployed?: boolean;
  }[];
  /** What changed in the last run, for the types of check in your plan; null if there is no report before it, or until they have been compared. */
  readonly change: {
    /** Occurrences that the previous report did not have. */
    readonly new: number;
    /** Occurrences that had been fixed in an earlier report and are back. */
    readonly regressed: number;
    /** Occurrences of an earlier report on pages that the previous one did not check. */
    readonly not_checked_before: number;
    /** Occurrences that only the previous report has. */
    readonly fixed: number;
    /** Occurrences of the previous report that this report could not check for. */
    readonly unverified: number;
    /** Occurrences that decisions have changed. They are neither new nor fixed. */
    readonly decided: {
      /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
      readonly error: number;
      /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
      readonly not_an_error: number;
      /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
      readonly error_before: number;
      /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
      readonly not_an_error_before: number;
    };
    /** Pages that could be checked in the previous report but not in this one. */
    readonly broken_pages: number;
    /** Pages that could not be checked in the previous report but could in this one. */
    readonly recovered_pages: number;
  } | null;
  /** What got worse in the last run, apart from `broken_pages` of `change`; null if `change` is null. */
  readonly worse: {
    /** Errors that are new or back, and not because of a changed setting. */
    readonly new_errors: number;
    /** Critical accessibility errors among them. */
    readonly new_critical: number;
  } | null;
  /** The current `errors_per_page` of the last run; null if no page was checked, and before the first run. */
  readonly errors_per_page: number | null;
  /** The upper part of its start page, from the newest report with an accessibility check of this page. Null before the first one, and if your plan does not include accessibility checks. */
  readonly thumbnail: {
    /** The image, in WebP. The URL needs no token, cannot be guessed, and is valid for at least an hour. To get a new URL, get the site again. */
    readonly image_url: string;
    /** Width in pixels. */
    readonly width: number;
    /** Height in pixels. */
    readonly height: number;
  } | null;
  /** What got worse in the last run or in runs before it, and has neither been fixed, nor muted, nor acknowledged; null if nothing did. */
  readonly unacknowledged: {
    /** The report that got worse. */
    readonly report_id: string;
    /** The earlier report that it is compared with. */
    readonly since_report_id: string;
    /** When that report was completed. */
    readonly since: string;
    /** Errors that are new or back, and not because of a changed setting. */
    readonly new_errors: number;
    /** Critical accessibility errors among them. */
    readonly new_critical: number;
    /** Pages that could be checked in the earlier report but not in the later one. */
    readonly broken_pages: number;
  } | null;
  /** When you last acknowledged what a report found; null if you never did. */
  readonly acknowledged_at: string | null;
  /** The most urgent reason to look at it: the last run failed (`failed`), `unacknowledged` has critical accessibility errors (`new_critical`) or other errors (`new_errors`), credits ran out in the last run or you have none for the next run (`no_credits`), `unacknowledged` has pages that could be checked before (`broken_pages`), the last run did not pass the `fail_on` of its schedule (`not_passed`), it has errors and you have never acknowledged any (`has_errors`), or `none`. */
  readonly attention: 'failed' | 'new_critical' | 'new_errors' | 'no_credits' | 'broken_pages' | 'not_passed' | 'has_errors' | 'none';
  /** When a schedule checks it next; null if none does, for an archived site, and for a guest's site. */
  readonly next_run_at: string | null;
  /** Whether the site has an active schedule that runs only when its deploy hook is called. False for a guest's site. */
  readonly runs_on_deploy: boolean;
  /** Number of its reports. */
  readonly num_reports: number;
  /** Number of web pages in its reports. */
  readonly num_web_pages: number;
  /** Number of its schedules; 0 for a guest's site. */
  readonly num_schedules: number;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** When a check of its newest report last ended; null before the first one. */
  readonly last_checked_at: string | null;
}

export interface BulkRun {
  /** Number of sites with a new report. */
  readonly num_started: number;
  /** Number of sites that were refused. */
  readonly num_refused: number;
  /** The sites with a new report. */
  readonly started: readonly {
    /** The id of the site. */
    readonly site_id: string;
    /** Its name, or its starting URL if it has none. */
    readonly name: string;
    /** The id of its new report. */
    readonly report_id: string;
  }[];
  /** The sites that were refused, with the reason. */
  readonly refused: readonly {
    /** The id of the site. */
    readonly site_id: string;
    /** Its name, or its starting URL if it has none. */
    readonly name: string;
    /** The code of the error. */
    readonly code: 'invalid_configuration' | 'data_directory_unusable' | 'secret_key_unusable' | 'secret_key_mismatch' | 'database_unavailable' | 'database_failed_to_start' | 'migration_failed' | 'disk_full' | 'output_failed' | 'port_in_use' | 'java_missing' | 'validator_failed_to_start' | 'browser_missing' | 'browser_failed_to_start' | 'account_not_found' | 'token_not_found' | 'invalid_usage' | 'site_not_checkable' | 'invalid_json' | 'invalid_request' | 'invalid_parameter' | 'unsupported_media_type' | 'conflict' | 'unauthorized' | 'invalid_token' | 'wrong_credentials' | 'account_disabled' | 'read_only_token' | 'pro_required' | 'forbidden' | 'credits_exhausted' | 'not_found' | 'method_not_allowed' | 'invalid' | 'payload_too_large' | 'rate_limited' | 'unavailable' | 'paused' | 'too_many_reports' | 'too_many_streams' | 'too_many_comparisons' | 'too_many_exports' | 'report_not_finished' | 'not_printable' | 'too_large_to_print' | 'internal';
    /** Why it was refused. */
    readonly message: string;
  }[];
}

export interface BulkUpdate {
  /** Whether this is a preview, and nothing was changed. */
  readonly dry_run: boolean;
  /** Number of sites that were changed or deleted. */
  readonly num_changed: number;
  /** Number of sites that already had these settings. */
  readonly num_unchanged: number;
  /** Number of sites that were refused. */
  readonly num_refused: number;
  /** Reports that are deleted with the sites; 0 unless the sites are deleted. */
  readonly num_reports: number;
  /** Number of web pages in these reports. */
  readonly num_web_pages: number;
  /** Schedules that are deleted with the sites; 0 unless the sites are deleted. */
  readonly num_schedules: number;
  /** The sites that were changed or deleted, by name. */
  readonly changed: readonly {
    /** The id of the site. */
    readonly site_id: string;
    /** Its name, or its starting URL if it has none. */
    readonly name: string;
  }[];
  /** The sites that were refused, with the reason. */
  readonly refused: readonly {
    /** The id of the site. */
    readonly site_id: string;
    /** Its name, or its starting URL if it has none. */
    readonly name: string;
    /** The code of the error. */
    readonly code: 'invalid_configuration' | 'data_directory_unusable' | 'secret_key_unusable' | 'secret_key_mismatch' | 'database_unavailable' | 'database_failed_to_start' | 'migration_failed' | 'disk_full' | 'output_failed' | 'port_in_use' | 'java_missing' | 'validator_failed_to_start' | 'browser_missing' | 'browser_failed_to_start' | 'account_not_found' | 'token_not_found' | 'invalid_usage' | 'site_not_checkable' | 'invalid_json' | 'invalid_request' | 'invalid_parameter' | 'unsupported_media_type' | 'conflict' | 'unauthorized' | 'invalid_token' | 'wrong_credentials' | 'account_disabled' | 'read_only_token' | 'pro_required' | 'forbidden' | 'credits_exhausted' | 'not_found' | 'method_not_allowed' | 'invalid' | 'payload_too_large' | 'rate_limited' | 'unavailable' | 'paused' | 'too_many_reports' | 'too_many_streams' | 'too_many_comparisons' | 'too_many_exports' | 'report_not_finished' | 'not_printable' | 'too_large_to_print' | 'internal';
    /** Why it was refused. */
    readonly message: string;
  }[];
}

export interface SiteTag {
  /** The tag; null for the sites without tags. */
  readonly tag: string | null;
  /** Number of sites. */
  readonly num_sites: number;
  /** Sites that need attention: the sites of `filter[attention]=any`. */
  readonly num_needing_attention: number;
  /** Total errors that the last runs of the sites have now, of the types of check in your plan. */
  readonly errors: number;
  /** Errors with critical impact among them. */
  readonly critical: number;
}

export interface Stat {
  /** The starting URL of the site, the domain, or the tag. */
  readonly name: string;
  /** The name of the site; empty if it has none, and for domains and tags. */
  readonly site_name: string;
  /** The day, the week (ISO 8601, from Monday) or the month, in UTC. */
  readonly interval: string;
  /** The first day of the interval. */
  readonly starts_on: string;
  /** Sites with a finished report. All attributes after `reports` are computed from the last report of each site. */
  readonly sites: number;
  /** Finished reports of these sites. */
  readonly reports: number;
  /** Web pages of the last reports. */
  readonly web_pages: number;
  /** What the HTML checks of the last reports found. Null if not enabled. */
  readonly html: {
    /** Web pages that were checked. */
    readonly checked: number;
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
  } | null;
  /** What the accessibility checks of the last reports found. Null if not enabled. */
  readonly a11y: {
    /** Web pages that were checked. */
    readonly checked: number;
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
    /** Errors and warnings by impact, including findings that need review. */
    readonly severity: {
      /** Errors and warnings with minor impact. */
      readonly minor: number;
      /** Errors and warnings with moderate impact. */
      readonly moderate: number;
      /** Errors and warnings with serious impact. */
      readonly serious: number;
      /** Errors and warnings with critical impact. */
      readonly critical: number;
      /** The totals across all impacts. */
      readonly total: {
        /** Number of errors: occurrences, not issue types, excluding muted ones. */
        readonly errors: number;
        /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
        readonly warnings: number;
        /** Errors and warnings together. */
        readonly total: number;
      };
    };
    /** Errors by impact, excluding findings that need review. They add up to `errors`. */
    readonly errors_by_impact: {
      /** Errors with minor impact. */
      readonly minor: number;
      /** Errors with moderate impact. */
      readonly moderate: number;
      /** Errors with serious impact. */
      readonly serious: number;
      /** Errors with critical impact. */
      readonly critical: number;
    };
  } | null;
  /** What the link checks of the last reports found. Absent if not enabled. */
  readonly link?: {
    /** Web pages that were checked. */
    readonly checked: number;
    /** Number of errors: occurrences, not issue types, excluding muted ones. */
    readonly errors: number;
    /** Number of warnings, counted like errors. Accessibility warnings need review by a person. */
    readonly warnings: number;
  } | null;
  /** Web pages whose checks have all run. */
  readonly checked: number;
  /** Completely checked web pages without errors. */
  readonly passed: number;
  /** Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked. */
  readonly errors_per_page: number | null;
  /** The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility. */
  readonly severe_free: {
    /** Pages without critical or serious accessibility errors. */
    readonly pages: number;
    /** Pages whose accessibility was checked. */
    readonly checked: number;
  } | null;
}

export interface Schedule {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. */
  readonly starting_url: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler: boolean;
  /** Additional URLs from which the spider starts. */
  readonly initial_urls: readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. */
  readonly inclusions: readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. */
  readonly exclusions: readonly string[];
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. */
  readonly wait_for: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. */
  readonly journeys: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. */
  readonly consent: 'accept' | 'reject' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. */
  readonly standard: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse: boolean;
  /** Tags to filter reports by. */
  readonly tags: readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether it has `basic_auth`, `headers`, `cookies` or a `login` for the site, which are not shown. If so, URLs that sign users out (such as `/logout` or `?action=logout`) are skipped unless they are initial URLs. If it sends a cookie or an `Authorization` header, pages that redirect to a login page fail. */
  readonly signs_in: boolean;
  /** Whether its stored credentials cannot be decrypted, because the key of the installation was replaced. Enter them again, or delete them; until then, its runs fail. */
  readonly needs_credentials: boolean;
  /** The name of its site; empty if it has none. */
  readonly site_name: string;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** The days on which it runs; null if only its deploy hook runs it. */
  readonly periodicity: {
    /** How often it runs. */
    readonly every: 'day' | 'week' | 'month';
    /** The day of the week. Only if `every` is `week`. */
    readonly weekday?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
    /** The day of the month. Only if `every` is `month`. */
    readonly monthday?: number;
  } | null;
  /** The time at which it runs, from `00:00` to `23:59` in `time_zone`. When clocks change, it runs once on that day: right after the change if the time is skipped, and the first time if it is repeated. Null: `schedule_time` of the installation, in UTC. */
  readonly time_of_day: string | null;
  /** The time zone of `time_of_day` and of the days on which it runs: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone: string;
  /** Whether it starts within the hour after its time, always at the same minute, so that many schedules with the same time do not start together. `next_run_at` includes that minute. */
  readonly spread: boolean;
  /** Whether it runs on the days of its `periodicity` (`time`), or only when its deploy hook is called (`deploy`). The hook works in both cases. */
  readonly trigger: 'time' | 'deploy';
  /** Only active schedules run. */
  readonly active: boolean;
  /** What makes a report of the schedule fail, as with `check --fail-on`. Each value includes anything worse: `error` (errors of all checks), `warning` (also warnings), `critical`, `serious`, `moderate` or `minor` (errors of that impact), `unchecked` (pages that could not be checked), `never`. */
  readonly fail_on: readonly ('error' | 'warning' | 'critical' | 'serious' | 'moderate' | 'minor' | 'unchecked' | 'never')[];
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** When it last created a report; null before the first one. */
  readonly last_run_at: string | null;
  /** The newest report that it created, whether at a scheduled time, manually or by its deploy hook; null if there is none. */
  readonly last_run: {
    /** The id of the report. */
    readonly report_id: string;
    /** The status of the report. */
    readonly status: 'pending' | 'crawling' | 'checking' | 'finished' | 'failed';
    /** When the report was completed; null until then. */
    readonly finished_at: string | null;
    /** What changed since the previous report; null if there is none, or until they have been compared. */
    readonly change: {
      /** Occurrences that the previous report did not have. */
      readonly new: number;
      /** Occurrences that had been fixed in an earlier report and are back. */
      readonly regressed: number;
      /** Occurrences of an earlier report on pages that the previous one did not check. */
      readonly not_checked_before: number;
      /** Occurrences that only the previous report has. */
      readonly fixed: number;
      /** Occurrences of the previous report that this report could not check for. */
      readonly unverified: number;
      /** Occurrences that decisions have changed. They are neither new nor fixed. */
      readonly decided: {
        /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
        readonly error: number;
        /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
        readonly not_an_error: number;
        /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
        readonly error_before: number;
        /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
        readonly not_an_error_before: number;
      };
      /** Pages that could be checked in the previous report but not in this one. */
      readonly broken_pages: number;
      /** Pages that could not be checked in the previous report but could in this one. */
      readonly recovered_pages: number;
    } | null;
    /** Whether it ended before every page was found and checked, because it was stopped. */
    readonly stopped: boolean;
    /** Whether a report of a schedule passed according to its `fail_on`; null if `verdict` of the report is null. */
    readonly verdict: 'passed' | 'failed' | null;
  } | null;
  /** Why the last run created no report; null if it did. */
  readonly last_run_error: string | null;
  /** The code of `last_run_error`, which stays the same when its wording changes; null if `last_run_error` is null. */
  readonly last_run_error_code: string | null;
  /** When it runs next; null if only its deploy hook runs it, or if it is not active. */
  readonly next_run_at: string | null;
  /** The next 5 times it runs; null if only its deploy hook runs it, or if it is not active. */
  readonly next_runs: readonly string[] | null;
  /** POST to this URL to run the schedule now. Absent for read-only tokens, and if it was encrypted with another key. */
  readonly deploy_hook_url?: string;
  /** How calls to the deploy hook must be signed: like webhooks of `github`, `gitlab`, `netlify` or `vercel`, or according to Standard Webhooks (`standard`). Null: calls need no signature. */
  readonly deploy_hook_signature: 'github' | 'gitlab' | 'netlify' | 'standard' | 'vercel' | null;
  /** The secret for signing calls. Only included in the response to the request that set `deploy_hook_signature` without a secret. */
  readonly deploy_hook_signing_secret?: string;
}

export interface NotificationChannel {
  /** The form of the messages: `webhook` for programs, in JSON and signed; `slack` and `teams` for the incoming webhooks of Slack and the workflows of Microsoft Teams; `email` for emails. */
  readonly kind: 'webhook' | 'slack' | 'teams' | 'email';
  /** A name to recognize it by. */
  readonly name: string;
  /** The destination: the host of the URL, or the email address. */
  readonly target: string;
  /** The http or https URL that messages are posted to. Absent for the kind `email`, if it was encrypted with another key, and for read-only tokens, because Slack and Teams URLs are secrets. */
  readonly webhook_url?: string;
  /** The events to send. */
  readonly events: readonly ('report.finished' | 'report.failed' | 'schedule.got_worse' | 'schedule.out_of_credits' | 'guest.near_limit' | 'channel.paused' | 'backup.failed' | 'backup.recovered')[];
  /** What makes a report worse than the previous report, for `schedule.got_worse`. */
  readonly worse_when: readonly ('new_critical' | 'new_errors' | 'broken_pages' | 'fail_on')[];
  /** The schedules to notify about. Empty: all reports and schedules. */
  readonly schedule_ids: readonly string[];
  /** Whether notifications are sent. Only test messages are sent to an inactive channel. */
  readonly active: boolean;
  /** With `daily`, all events since the last digest are sent in one message, the worst first. Test messages are sent immediately. */
  readonly digest: 'none' | 'daily';
  /** The hour at which a daily digest is sent. */
  readonly digest_hour: number;
  /** The time zone of `digest_hour`: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone: string;
  /** When the next digest is due; null without a digest. */
  readonly next_digest_at: string | null;
  /** `failing` if the last attempt failed; `paused` if it is not active, because you or the service paused it; `unconfirmed` until the owner of the address confirms it, and again after they unsubscribe. */
  readonly status: 'working' | 'failing' | 'paused' | 'unconfirmed';
  /** The first failed attempt since the last successful delivery; null if there is none. */
  readonly failing_since: string | null;
  /** When the service paused it, because all deliveries failed for 3 days or its receiver returned 410; null otherwise. */
  readonly paused_at: string | null;
  /** The last successful delivery; null before the first. */
  readonly last_delivered_at: string | null;
  /** Why the last attempt failed; null if it did not. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NotificationDelivery {
  /** The event. */
  readonly event: 'report.finished' | 'report.failed' | 'schedule.got_worse' | 'schedule.out_of_credits' | 'guest.near_limit' | 'channel.paused' | 'backup.failed' | 'backup.recovered' | 'digest' | 'test' | 'confirmation';
  /** `pending` until it is delivered or has failed for a day; `held` until the digest of its channel is sent. Test messages are attempted once. */
  readonly status: 'held' | 'pending' | 'delivered' | 'failed';
  /** Attempts so far, at most 10 per day. */
  readonly attempts: number;
  /** The HTTP status of the receiver's last response; null without a response, and for emails. */
  readonly http_status: number | null;
  /** Why the last attempt failed; null if it did not. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
  /** The last attempt; null before the first. */
  readonly last_attempt_at: string | null;
  /** The next attempt; null if there is none. */
  readonly next_attempt_at: string | null;
  /** When it was delivered; null until then. */
  readonly delivered_at: string | null;
  /** When the event happened. */
  readonly inserted_at: string;
}

export interface GuestAccount {
  /** The page where the guest accepts the invitation. Null once it is accepted, or if it was encrypted with another key. Absent for read-only tokens. */
  readonly invitation_url?: string | null;
  /** Maximum number of credits that the guest can use in a month. */
  readonly max_usage: number;
  /** Credits that the guest has used this month. Reset to 0 on the first of each month (UTC). */
  readonly current_usage: number;
  /** The account that accepted the invitation; null until then. */
  readonly guest: {
    /** The name of the account. */
    readonly name: string;
    /** Its email address. */
    readonly email: string;
  } | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** When the invitation was accepted; null until then. */
  readonly accepted_at: string | null;
}

export interface Account {
  /** The name of the owner. May be empty. */
  readonly name: string;
  /** The email address. */
  readonly email: string;
  /** The plan that applies: for a guest, the host's. */
  readonly plan: 'free' | 'pro' | 'enterprise';
  /** Remaining credits. For a guest, the lower of what is left of this month's limit and of the host's credits. Null means unlimited. */
  readonly credits: number | null;
  /** The limits of the plan. */
  readonly limits: {
    /** Maximum number of web pages of a report. */
    readonly max_pages: number;
    /** Maximum number of requests per second to a site. */
    readonly rate_limit: number;
    /** Maximum number of reports that are crawled at the same time, by a host and its guests together. */
    readonly running_reports: number;
    /** Maximum number of reports waiting to be crawled, for a host and its guests together. */
    readonly waiting_reports: number;
    /** Maximum number of guest accounts, according to the account's own plan. */
    readonly guest_accounts: number;
  };
  /** The standard for new sites that do not set `standard`, and for new reports and schedules if neither they nor their site sets it. Null: all issues count. */
  readonly standard: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** The same for `best_practices`. */
  readonly best_practices: boolean;
  /** Whether `standard` and `best_practices` have been set for the account. Until then, the installation's standard applies. */
  readonly standard_chosen: boolean;
  /** Whether it may see and manage the whole installation. */
  readonly operator: boolean;
  /** The guest account that this account uses; null if it is not a guest. */
  readonly guest_account: {
    /** The id of the guest account. */
    readonly id: string;
    /** The account whose plan and credits this one uses. */
    readonly host: {
      /** The name of the owner. May be empty. */
      readonly name: string;
    };
    /** Maximum number of credits in a month. */
    readonly max_usage: number;
    /** Credits used this month (UTC). */
    readonly current_usage: number;
  } | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface ApiToken {
  /** A name to recognize it by. */
  readonly name: string;
  /** `read` allows reading only, `write` also allows changes. */
  readonly scope: 'read' | 'write';
  /** When it expires; null means never. */
  readonly expires_at: string | null;
  /** When it was last used, to the minute; null if never. */
  readonly last_used_at: string | null;
  /** When it was created. */
  readonly inserted_at: string;
}

export interface CreditEntry {
  /** The number of credits: negative if spent, positive if added or refunded. */
  readonly amount: number;
  /** The reason: checks that ran, raw checks stored, pages rendered, a thousand requests, a refund for checks that never ran, or an adjustment by the operator. */
  readonly reason: 'checks' | 'raw_checks' | 'rendered_pages' | 'api_requests' | 'refund' | 'granted' | 'set';
  /** The balance afterwards; null if it became unlimited. */
  readonly balance: number | null;
  /** The report that the entry is for; null if none. */
  readonly report_id: string | null;
  /** When it was created. */
  readonly inserted_at: string;
}

export interface AuditEntry {
  /** The request, without the ids in its path, or the command that was run on the server. `PATCH /operator/accounts/{account_id}` ends with `: grant operator role` or `: revoke operator role`. */
  readonly action: string;
  /** The path of the resource. Secrets are replaced. Null for commands, except for commands that create and revoke API tokens. */
  readonly path: string | null;
  /** The HTTP status of the response, or 401 if a sign-in with OpenID Connect was refused; null for commands, which are only recorded if they succeed. */
  readonly status: number | null;
  /** Who did it. */
  readonly actor: 'api_token' | 'session' | 'share_link' | 'anyone' | 'command';
  /** The id of the API token, the session or the share link; null for others. In the audit log of an account, it is also null if an operator did it. */
  readonly actor_id: string | null;
  /** The account of the API token or the session; null for others. */
  readonly actor_account_id: string | null;
  /** The IP address of the client; null for commands. In the audit log of an account, it is also null if an operator did it. */
  readonly address: string | null;
  /** The id of the request, which is also in the log; null for commands. In the audit log of an account, it is also null if an operator did it. */
  readonly request_id: string | null;
  /** The account that it concerns, such as the account that an operator disables; null if that is not known, or it concerns the installation. */
  readonly account_id: string | null;
  /** When it was created. */
  readonly inserted_at: string;
}

export interface Muting {
  /** The id as a number. */
  readonly id: number;
  /** A URL, or part of a URL. Case is ignored. */
  readonly url_match: string;
  /** The message or help text of an issue, or part of it, or the whole `rule_id`. Case is ignored, and straight and typographic quotes are treated as equal. */
  readonly message: string;
  /** A CSS selector: only issues in matching elements and their descendants are muted, on pages that are checked after the muting was created. Null for all elements. */
  readonly selector: string | null;
  /** Why the muting exists. Visible to everyone who can see the report. */
  readonly comment: string;
  /** Number of occurrences that it currently mutes, in all reports that it applies to. An occurrence matched by several mutings counts for each. Updated in the background after a muting is created or deleted. Only shown to the owner of the muting. */
  readonly how_many?: number;
  /** Number of reports in which it mutes something. Only shown to the owner of the muting. */
  readonly num_reports?: number;
  /** Whether it also applies to what earlier reports had found when they ended, and so changes trends, statistics and comparisons. By default, these do not change. */
  readonly retroactive: boolean;
  /** When it stops muting; null means never. */
  readonly expires_at: string | null;
  /** Whether `expires_at` has passed. The issues that it muted count again, after an update in the background. It is listed until you delete it. */
  readonly expired: boolean;
}

export interface MutingPreview {
  /** Number of matching occurrences, including those already muted. */
  readonly how_many: number;
  /** Number of web pages with such issues. */
  readonly num_web_pages: number;
  /** The matching issue types: at most the 10 with the most occurrences. */
  readonly kinds: readonly {
    /** The type of check. */
    readonly kind: 'html' | 'a11y' | 'link';
    /** Its message or help text. */
    readonly message: string;
    /** Number of its matching occurrences. */
    readonly how_many: number;
  }[];
  /** Whether `how_many` is only an upper bound: true with a `selector`, which is matched only while pages are checked. */
  readonly upper_bound: boolean;
  /** Number of reports searched. */
  readonly num_reports: number;
  /** Number of web pages searched in these reports. */
  readonly num_web_pages_searched: number;
  /** Whether the latest report of each starting URL was searched completely. */
  readonly complete: boolean;
}

export interface SearchResult {
  /** The type of the resource. `self` is its URL. */
  readonly resource: 'report' | 'web_page' | 'common_html_issue' | 'common_a11y_issue' | 'common_link_issue' | 'schedule';
  /** The starting URL, the title or URL of the page, or the message. Long text is shortened. */
  readonly title: string;
  /** What distinguishes it from other results with this title. */
  readonly subtitle: string;
  /** The path of its page in the dashboard, relative to the public address of the installation. */
  readonly path: string;
}

export interface Retention {
  /** A report is kept if any setting of an applicable rule keeps it. The rule of its schedule applies; without one, all rules of its tags; without these, the rule that has neither a schedule nor a tag. If no rule applies, the report is kept. */
  readonly rules: readonly {
    /** The rule is for reports with this tag, ignoring case. */
    readonly tag?: string;
    /** The rule is for the reports of this schedule. */
    readonly schedule_id?: string;
    /** Keeps this many of the newest complete reports of each site, and reports that are newer than these. */
    readonly keep_last?: number;
    /** Keeps the reports of this many days. */
    readonly keep_days?: number;
    /** For each site, keeps one report per week, for this many weeks that have a report: the newest complete report, or the newest if none is complete. */
    readonly keep_weekly?: number;
    /** For each site, keeps one report per month, for this many months that have a report. */
    readonly keep_monthly?: number;
    /** For each site, keeps one report per year, for this many years that have a report. */
    readonly keep_yearly?: number;
  }[];
}

export interface RetentionPreview {
  /** Reports that would be deleted. */
  readonly num_reports: number;
  /** What that frees in the database, without indexes. */
  readonly bytes: number;
  /** Whether `bytes` is only an upper bound: other reports may have the same documents. */
  readonly bytes_at_most: boolean;
  /** The number of reports that are kept, by the first reason that applies. */
  readonly kept: {
    /** They have not ended, or their insights are still being computed. */
    readonly running: number;
    /** They are shared. */
    readonly shared: number;
    /** They have the tag `baseline`. */
    readonly baseline: number;
    /** They are needed to show what got worse on their site. */
    readonly needed: number;
    /** They are the newest report or the newest complete report of their site. */
    readonly newest: number;
    /** No rule applies to them. */
    readonly no_rule: number;
    /** `keep_last`. */
    readonly last: number;
    /** `keep_days`. */
    readonly days: number;
    /** `keep_weekly`. */
    readonly weekly: number;
    /** `keep_monthly`. */
    readonly monthly: number;
    /** `keep_yearly`. */
    readonly yearly: number;
  };
  /** The reports that would be deleted, the oldest first, at most 100. */
  readonly deleted: readonly {
    /** The id of the report. */
    readonly report_id: string;
    /** The starting URL. */
    readonly starting_url: string;
    /** The name of its site. May be empty. */
    readonly site_name: string;
    /** When it was created. */
    readonly inserted_at: string;
  }[];
  /** What happens to the space. */
  readonly disk: string;
}

export interface Operation {
  /** The version of the process that responded. */
  readonly version: string;
  /** When the installation was paused; null if it is not paused. */
  readonly paused_at: string | null;
  /** The unfinished checks of each engine. */
  readonly queue: readonly {
    /** The engine. */
    readonly engine: 'html' | 'a11y' | 'link';
    /** Checks waiting for a process. */
    readonly waiting: number;
    /** Checks that a process has claimed. */
    readonly running: number;
    /** The age of the oldest check that has not ended; 0 if there is none. */
    readonly oldest_seconds: number;
  }[];
  /** The number of reports in each state. */
  readonly reports: {
    /** Reports waiting to be crawled. */
    readonly pending: number;
    /** Reports that are being crawled. */
    readonly crawling: number;
    /** Reports whose pages are being checked. */
    readonly checking: number;
    /** Finished reports. */
    readonly finished: number;
    /** Failed reports. */
    readonly failed: number;
    /** Deleted reports whose data is yet to be removed. */
    readonly deleted: number;
  };
  /** Notifications waiting to be delivered, including notifications that will be retried. */
  readonly deliveries_waiting: number;
  /** How long the oldest notification that is due has waited. */
  readonly deliveries_overdue_seconds: number;
  /** Notification channels that have failed since their last delivery, including paused channels. */
  readonly failing_channels: number;
  /** How long the most overdue schedule has been due. */
  readonly schedules_overdue_seconds: number;
  /** The size of the database, with indexes. */
  readonly database_bytes: number;
  /** Whether the service writes scheduled backups. */
  readonly backups: boolean;
  /** When the last complete scheduled backup started; null if there is none. */
  readonly backup_at: string | null;
  /** When a scheduled backup last failed after that; null if none has. */
  readonly backup_failed_at: string | null;
  /** Why it failed. */
  readonly backup_error: string | null;
}

export interface Worker {
  /** The name of its machine. */
  readonly host: string;
  /** The id of the process on its machine. */
  readonly pid: number;
  /** Its version. */
  readonly version: string;
  /** `serve`, `work`, or `check` for a command. */
  readonly command: string;
  /** The checks that it runs. */
  readonly engines: readonly string[];
  /** Whether it is connected to the database now. If not, it was killed, or has lost its connection. */
  readonly running: boolean;
  /** When it connected to the database. */
  readonly joined_at: string;
  /** When another process noticed that it had stopped responding, which takes up to a minute; null until then. */
  readonly ended_at: string | null;
  /** Reports that it crawls now. */
  readonly crawls: number;
  /** Checks that it runs now. */
  readonly checks: number;
}

export interface FailingChannel {
  /** The account that it belongs to. */
  readonly account: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
    /** Its email address. */
    readonly email: string;
  };
  /** What it delivers to. */
  readonly kind: 'webhook' | 'slack' | 'teams' | 'email';
  /** The name of the channel. */
  readonly name: string;
  /** The host of its URL, or its address. */
  readonly target: string;
  /** The first failed attempt since the last delivery. */
  readonly failing_since: string;
  /** When the service stopped trying; null while it is still trying. */
  readonly paused_at: string | null;
  /** The last successful delivery. */
  readonly last_delivered_at: string | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
  /** The code of `error`, which stays the same when its wording changes; null if `error` is null. */
  readonly error_code: string | null;
  /** Deliveries waiting to be retried. */
  readonly waiting: number;
  /** Deliveries of the last 7 days that have failed for good. */
  readonly failed: number;
}

export interface SlowSite {
  /** The account that it belongs to. */
  readonly account: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
    /** Its email address. */
    readonly email: string;
  };
  /** The name of the site. May be empty. */
  readonly name: string;
  /** Its starting URL. */
  readonly starting_url: string;
  /** Reports that ended in this time. */
  readonly num_reports: number;
  /** Web pages of these reports. */
  readonly num_web_pages: number;
  /** From the creation of a report to its end, on average. */
  readonly seconds: number;
  /** The same, per page. */
  readonly seconds_per_page: number;
}

export interface OperatedAccount {
  /** The name of the owner. May be empty. */
  readonly name: string;
  /** The email address. */
  readonly email: string;
  /** Its own plan. */
  readonly plan: 'free' | 'pro' | 'enterprise';
  /** Its own credits; null means unlimited. */
  readonly credits: number | null;
  /** Whether it may see and manage the whole installation. */
  readonly operator: boolean;
  /** `deleting` until everything that it owned is removed. */
  readonly status: 'active' | 'disabled' | 'deleting';
  /** When it was disabled or deleted; null while it is active. */
  readonly disabled_at: string | null;
  /** Number of its sites. */
  readonly num_sites: number;
  /** Number of its reports. */
  readonly num_reports: number;
  /** Number of its reports that have not ended. */
  readonly num_running_reports: number;
  /** Number of web pages in its reports. */
  readonly num_web_pages: number;
  /** The space that its reports take up in the database, without indexes. Reports are measured soon after they end; running reports do not count. */
  readonly bytes: number;
  /** When it was last used in a browser or with an API token, to the minute, according to its sessions, its tokens and the audit log; null if never. */
  readonly last_used_at: string | null;
  /** When it was created. */
  readonly inserted_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface Installation {
  /** Who can create an account without the operator: anyone (`open`), invited people, or no one. */
  readonly sign_up: 'open' | 'invite' | 'closed';
  /** The version of sitewarden. */
  readonly version: string;
  /** How to run sitewarden commands where the service runs. Append a space and the command. */
  readonly command: string;
  /** Whether no one can sign in yet. The owner signs in with the link that `sitewarden serve` prints. */
  readonly needs_owner: boolean;
  /** Whether the installation can send emails, which notification channels of the kind `email` require. */
  readonly sends_mail: boolean;
  /** The OpenID Connect provider to sign in with; null if there is none. */
  readonly oidc: {
    /** The display name of the provider. */
    readonly name: string;
  } | null;
  /** Whether the operator has paused the installation: its schedules, notifications and work are paused, and no reports are created. */
  readonly paused: boolean;
  /** Parts that are not working in the process that responded, such as `browser`, `validator`, or `writable` if the database accepts no changes. Work that needs them waits. */
  readonly unavailable_parts: readonly string[];
  /** The time of day, in UTC, at which schedules without a `time_of_day` run. */
  readonly schedule_time: string;
}

export interface NewReportAttributes {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. An absolute http or https URL of at most 2,048 characters, without credentials. */
  readonly starting_url: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages?: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit?: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl?: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls?: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt?: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler?: boolean;
  /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
  readonly initial_urls?: string | readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly inclusions?: string | readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly exclusions?: string | readonly string[];
  /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
  readonly device_id?: string | null;
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated?: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
  readonly wait_for?: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes?: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. At most 20, each with at most 100 steps, including 1 to 20 `check` steps. */
  readonly journeys?: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys?: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states?: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
  readonly consent?: 'accept' | 'reject' | '' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots?: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse?: boolean;
  /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks?: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks?: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks?: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks?: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** HTTP Basic credentials. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly basic_auth?: {
    /** May be empty. Must not contain a colon. */
    readonly username: string;
    /** May be empty. */
    readonly password: string;
  } | null;
  /** Request headers, as an object of names and values. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that the site renews with each response will end. Use `login` for such a site. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly cookies?: Readonly<Record<string, string>> | null;
  /** How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it. */
  readonly login?: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** The id of the site that it belongs to. The default is the site with its starting URL, or a new site. */
  readonly site_id?: string;
}

export interface NewShareLinkAttributes {
  /** Who the link is for. Only you see it. */
  readonly name?: string;
  /** The id of the site that it opens. Required unless there is a `tag`. */
  readonly site_id?: string;
  /** Opens all your sites with this tag, ignoring case, including sites that get the tag later. Not allowed with `site_id`. */
  readonly tag?: string;
}

export interface NewRecheckAttributes {
  /** The ids of web pages of the report, at most 10000. */
  readonly web_page_ids?: readonly string[];
  /** Checks all web pages with this common HTML issue again, except where it is muted. */
  readonly common_html_issue_id?: string;
  /** Checks all web pages with this common accessibility issue again, except where it is muted. */
  readonly common_a11y_issue_id?: string;
  /** Checks all web pages with this common link issue again, except where it is muted. */
  readonly common_link_issue_id?: string;
}

export interface NewDecisionAttributes {
  /** The id of an occurrence of the report: the id of its issue and its position in it, from 0. */
  readonly occurrence: string;
  /** What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies. */
  readonly scope: 'occurrence' | 'cause' | 'rule';
  /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
  readonly verdict: 'error' | 'not_an_error' | 'later';
  /** Why, at most 1000 characters. Visible to everyone who can see the report. */
  readonly note?: string;
  /** Who decides. By default, the name of your account. */
  readonly assessor?: string;
}

export interface NewSiteAttributes {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. An absolute http or https URL of at most 2,048 characters, without credentials. */
  readonly starting_url: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages?: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit?: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl?: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls?: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt?: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler?: boolean;
  /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
  readonly initial_urls?: string | readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly inclusions?: string | readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly exclusions?: string | readonly string[];
  /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
  readonly device_id?: string | null;
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated?: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
  readonly wait_for?: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes?: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. At most 20, each with at most 100 steps, including 1 to 20 `check` steps. */
  readonly journeys?: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys?: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states?: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
  readonly consent?: 'accept' | 'reject' | '' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots?: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse?: boolean;
  /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks?: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks?: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks?: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks?: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** HTTP Basic credentials. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly basic_auth?: {
    /** May be empty. Must not contain a colon. */
    readonly username: string;
    /** May be empty. */
    readonly password: string;
  } | null;
  /** Request headers, as an object of names and values. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that the site renews with each response will end. Use `login` for such a site. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly cookies?: Readonly<Record<string, string>> | null;
  /** How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it. */
  readonly login?: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** What you call the site. */
  readonly name?: string;
  /** Notes, which only you see. */
  readonly notes?: string;
  /** The `sitewarden sync` file that created the site and whose sync with `--prune` can archive or delete it; null for none. Cannot be changed. */
  readonly synced_from?: string | null;
}

export interface NewBulkRunAttributes {
  /** The ids of your sites, at most 1000. Cannot be combined with filters. */
  readonly site_ids?: readonly string[];
  /** A filter: sites with any of these tags. Separated by commas, or an array. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** A filter: sites with this text in the name or the starting URL. Case is ignored. */
  readonly text?: string;
  /** A filter: sites that need attention for any of these reasons, as in `filter[attention]` of `GET /sites`. */
  readonly attention?: readonly ('any' | 'failed' | 'new_critical' | 'new_errors' | 'no_credits' | 'broken_pages' | 'not_passed' | 'has_errors' | 'none')[];
  /** Sites in use (`false`), archived sites (`true`), or `all`. Only `true` counts as a filter: the other values require another filter, or `all: true`. */
  readonly archived?: 'false' | 'true' | 'all';
  /** Required for a selection without ids and without filters, which is all your sites. */
  readonly all?: boolean;
}

export interface NewBulkUpdateAttributes {
  /** The ids of your sites, at most 1000. Cannot be combined with filters. */
  readonly site_ids?: readonly string[];
  /** A filter: sites with any of these tags. Separated by commas, or an array. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** A filter: sites with this text in the name or the starting URL. Case is ignored. */
  readonly text?: string;
  /** A filter: sites that need attention for any of these reasons, as in `filter[attention]` of `GET /sites`. */
  readonly attention?: readonly ('any' | 'failed' | 'new_critical' | 'new_errors' | 'no_credits' | 'broken_pages' | 'not_passed' | 'has_errors' | 'none')[];
  /** Sites in use (`false`), archived sites (`true`), or `all`. Only `true` counts as a filter: the other values require another filter, or `all: true`. */
  readonly archived?: 'false' | 'true' | 'all';
  /** Required for a selection without ids and without filters, which is all your sites. */
  readonly all?: boolean;
  /** The attributes to change, as in `PATCH /sites/{site_id}`, except `name`, `starting_url`, credentials and journeys. `tags` replaces all tags. */
  readonly change?: {
    /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
    readonly max_pages?: number;
    /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
    readonly rate_limit?: number;
    /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
    readonly deep_crawl?: boolean;
    /** Whether a page with a canonical URL on the same site is listed under that URL. */
    readonly prefer_canonical_urls?: boolean;
    /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
    readonly respect_robots_txt?: boolean;
    /** Whether pages are rendered in a browser, to find the links that scripts add. */
    readonly dynamic_crawler?: boolean;
    /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
    readonly initial_urls?: string | readonly string[];
    /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
    readonly inclusions?: string | readonly string[];
    /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
    readonly exclusions?: string | readonly string[];
    /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
    readonly device_id?: string | null;
    /** Whether to swap the width and height of the device's viewport. */
    readonly device_rotated?: boolean;
    /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
    readonly wait_for?: string | null;
    /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
    readonly block_writes?: boolean;
    /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
    readonly explore_states?: boolean;
    /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
    readonly consent?: 'accept' | 'reject' | '' | null;
    /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
    readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
    /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
    readonly best_practices?: boolean;
    /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
    readonly store_screenshots?: boolean;
    /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
    readonly reuse?: boolean;
    /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
    readonly tags?: string | readonly string[];
    /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
    readonly shared?: boolean;
    /** Whether to check the HTML of pages. At least one type of check must be on. */
    readonly perform_html_checks?: boolean;
    /** Whether to check the accessibility of pages. At least one type of check must be on. */
    readonly perform_a11y_checks?: boolean;
    /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
    readonly perform_link_checks?: boolean;
    /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
    readonly store_raw_html_checks?: boolean;
    /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
    readonly store_raw_a11y_checks?: boolean;
    /** Whether to store the raw output of the link checks, for 1 credit per page. */
    readonly store_raw_link_checks?: boolean;
    /** Notes, which only you see. */
    readonly notes?: string;
    /** Whether it is archived: lists leave it out by default, and its schedules do not run. */
    readonly archived?: boolean;
    /** Acknowledges what the last report found, so that the site no longer needs attention because of it. Other attributes do not change. */
    readonly acknowledged?: true;
  };
  /** Tags to add to each site. Separated by commas, or an array. Case is ignored. */
  readonly add_tags?: string | readonly string[];
  /** Tags to remove from each site. Separated by commas, or an array. Case is ignored. */
  readonly remove_tags?: string | readonly string[];
  /** Creates a schedule for each site, with the settings and credentials of the site, unless it has a schedule with the same times. Attributes as in `POST /schedules`. */
  readonly schedule?: {
    /** The days on which it runs: in `time_zone` at `time_of_day`. Without `time_of_day`, at 00:00 UTC unless the operator has set another time. */
    readonly periodicity: {
      /** How often it runs. With `deploy`, it only runs when its deploy hook is called. */
      readonly every: 'deploy' | 'month' | 'week' | 'day';
      /** The day of the month, if `every` is `month`. The default is 1. */
      readonly monthday?: number | null;
      /** The day of the week, if `every` is `week`. The default is `monday`. */
      readonly weekday?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null;
    };
    /** The time at which it runs, from `00:00` to `23:59` in `time_zone`. When clocks change, it runs once on that day: right after the change if the time is skipped, and the first time if it is repeated. Null: `schedule_time` of the installation, in UTC. */
    readonly time_of_day?: string | null;
    /** The time zone of `time_of_day` and of the days on which it runs: a name such as `Europe/Berlin`, or an offset. */
    readonly time_zone?: string;
    /** Whether it starts within the hour after its time, always at the same minute, so that many schedules with the same time do not start together. `next_run_at` includes that minute. */
    readonly spread?: boolean;
    /** Only active schedules run. */
    readonly active?: boolean;
    /** What makes a report of the schedule fail: `error`, `warning`, `critical`, `serious`, `moderate`, `minor`, `unchecked`, `never`. Separated by commas, or an array. */
    readonly fail_on?: string | readonly string[];
  };
  /** Deletes the sites with all their reports and schedules. Cannot be combined with a change. */
  readonly delete?: boolean;
  /** Whether to preview the request: the response is the same, but nothing is changed. */
  readonly dry_run?: boolean;
}

export interface NewScheduleAttributes {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. An absolute http or https URL of at most 2,048 characters, without credentials. Required without `site_id`. With it, the starting URL of the site, which is the default. */
  readonly starting_url?: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages?: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit?: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl?: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls?: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt?: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler?: boolean;
  /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
  readonly initial_urls?: string | readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly inclusions?: string | readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly exclusions?: string | readonly string[];
  /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
  readonly device_id?: string | null;
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated?: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
  readonly wait_for?: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes?: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. At most 20, each with at most 100 steps, including 1 to 20 `check` steps. */
  readonly journeys?: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys?: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states?: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
  readonly consent?: 'accept' | 'reject' | '' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots?: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse?: boolean;
  /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks?: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks?: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks?: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks?: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** HTTP Basic credentials. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly basic_auth?: {
    /** May be empty. Must not contain a colon. */
    readonly username: string;
    /** May be empty. */
    readonly password: string;
  } | null;
  /** Request headers, as an object of names and values. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that the site renews with each response will end. Use `login` for such a site. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly cookies?: Readonly<Record<string, string>> | null;
  /** How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it. */
  readonly login?: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** The id of the site that it belongs to. The default is the site with its starting URL, or a new site. */
  readonly site_id?: string;
  /** The days on which it runs: in `time_zone` at `time_of_day`. Without `time_of_day`, at 00:00 UTC unless the operator has set another time. */
  readonly periodicity: {
    /** How often it runs. With `deploy`, it only runs when its deploy hook is called. */
    readonly every: 'deploy' | 'month' | 'week' | 'day';
    /** The day of the month, if `every` is `month`. The default is 1. */
    readonly monthday?: number | null;
    /** The day of the week, if `every` is `week`. The default is `monday`. */
    readonly weekday?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null;
  };
  /** The time at which it runs, from `00:00` to `23:59` in `time_zone`. When clocks change, it runs once on that day: right after the change if the time is skipped, and the first time if it is repeated. Null: `schedule_time` of the installation, in UTC. */
  readonly time_of_day?: string | null;
  /** The time zone of `time_of_day` and of the days on which it runs: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone?: string;
  /** Whether it starts within the hour after its time, always at the same minute, so that many schedules with the same time do not start together. `next_run_at` includes that minute. */
  readonly spread?: boolean;
  /** Only active schedules run. */
  readonly active?: boolean;
  /** What makes a report of the schedule fail: `error`, `warning`, `critical`, `serious`, `moderate`, `minor`, `unchecked`, `never`. Separated by commas, or an array. */
  readonly fail_on?: string | readonly string[];
  /** How calls to the deploy hook must be signed: like webhooks of `github`, `gitlab`, `netlify` or `vercel`, or according to Standard Webhooks (`standard`). Null: calls need no signature. */
  readonly deploy_hook_signature?: 'github' | 'gitlab' | 'netlify' | 'standard' | 'vercel' | null;
  /** A secret generated by the sender: 16 to 255 visible ASCII characters, or for `standard` `whsec_` followed by base64. Null: a secret is generated when `deploy_hook_signature` changes, except for `vercel`, which always generates its own. To replace a generated secret, set `deploy_hook_signature` to null and then set it again. */
  readonly deploy_hook_signing_secret?: string | null;
}

export interface NewNotificationChannelAttributes {
  /** The form of the messages: `webhook` for programs, `slack` and `teams` for the incoming webhooks of Slack and the workflows of Microsoft Teams, `email` for emails. `email` requires that the operator has set up a mail server. */
  readonly kind: 'webhook' | 'slack' | 'teams' | 'email';
  /** The http or https URL that messages are posted to. Absent for the kind `email`, if it was encrypted with another key, and for read-only tokens, because Slack and Teams URLs are secrets. */
  readonly webhook_url?: string;
  /** The address that emails are sent to. Only for the kind `email`. If it is not the address of your account, its owner must confirm it first. */
  readonly email?: string;
  /** A name to recognize it by. */
  readonly name?: string;
  /** The events to send: `report.finished` and `report.failed` (a report ended for the first time), `schedule.got_worse` (see `worse_when`), `schedule.out_of_credits` (a schedule created no report, or its report ended early), `guest.near_limit` (a guest has used 80% of a month's credits; sent to the host and the guest), `channel.paused` (another channel was paused because its deliveries kept failing or its receiver returned 410), `backup.failed` and `backup.recovered` (scheduled backups of the installation fail, or work again; sent to operators only). */
  readonly events?: readonly string[];
  /** What makes a report of a schedule worse than the previous report: `new_critical` (new or regressed critical errors), `new_errors` (new or regressed errors of any impact), `broken_pages` (pages that can no longer be checked), `fail_on` (it fails according to the `fail_on` of the schedule, but the previous report passed). */
  readonly worse_when?: readonly string[];
  /** The schedules to notify about. Empty: all reports and schedules. Events without a schedule are always sent. */
  readonly schedule_ids?: readonly string[];
  /** Whether notifications are sent. Only test messages are sent to an inactive channel. */
  readonly active?: boolean;
  /** With `daily`, all events since the last digest are sent in one message, the worst first. Test messages are sent immediately. */
  readonly digest?: 'none' | 'daily';
  /** The hour at which a daily digest is sent. */
  readonly digest_hour?: number;
  /** The time zone of `digest_hour`: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone?: string;
}

export interface NewGuestAccountAttributes {
  /** Maximum number of credits that the guest can use in a month. */
  readonly max_usage: number;
}

export interface NewApiTokenAttributes {
  /** A name to recognize it by. */
  readonly name?: string;
  /** `read` allows reading only, `write` also allows changes. */
  readonly scope?: 'read' | 'write';
  /** When it expires. If you create it with a token that expires, it cannot expire later than that token, and expires at the same time by default. ISO 8601, in UTC unless you give a time zone. A date without a time means the end of that day. Null means never. */
  readonly expires_at?: string | null;
}

export interface NewMutingAttributes {
  /** A URL, or part of a URL. Case is ignored. */
  readonly url_match: string;
  /** The message or help text of an issue, or part of it, or the whole `rule_id`. Case is ignored, and straight and typographic quotes are treated as equal. */
  readonly message: string;
  /** Why the muting exists. Visible to everyone who can see the report. */
  readonly comment?: string;
  /** A CSS selector: only issues in matching elements and their descendants are muted, on pages that are checked after the muting was created. Null for all elements. */
  readonly selector?: string | null;
  /** Whether it also applies to what earlier reports had found when they ended, and so changes trends, statistics and comparisons. By default, these do not change. */
  readonly retroactive?: boolean;
  /** When it stops muting. ISO 8601, in UTC unless you give a time zone. A date without a time means the end of that day. Null means never. */
  readonly expires_at?: string | null;
}

export interface NewRetentionPreviewAttributes {
  /** A report is kept if any setting of an applicable rule keeps it. The rule of its schedule applies; without one, all rules of its tags; without these, the rule that has neither a schedule nor a tag. If no rule applies, the report is kept. */
  readonly rules: readonly {
    /** The rule is for reports with this tag, ignoring case. */
    readonly tag?: string;
    /** The rule is for the reports of this schedule. */
    readonly schedule_id?: string;
    /** Keeps this many of the newest complete reports of each site, and reports that are newer than these. */
    readonly keep_last?: number;
    /** Keeps the reports of this many days. */
    readonly keep_days?: number;
    /** For each site, keeps one report per week, for this many weeks that have a report: the newest complete report, or the newest if none is complete. */
    readonly keep_weekly?: number;
    /** For each site, keeps one report per month, for this many months that have a report. */
    readonly keep_monthly?: number;
    /** For each site, keeps one report per year, for this many years that have a report. */
    readonly keep_yearly?: number;
  }[];
}

export interface NewOperatedAccountAttributes {
  /** The email address. */
  readonly email: string;
  /** The name of the owner. May be empty. */
  readonly name?: string;
}

export interface ReportChanges {
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
}

export interface WebPageChanges {
  /** Fetches and checks the page again. */
  readonly status: 'pending';
}

export interface DecisionChanges {
  /** The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`). */
  readonly verdict?: 'error' | 'not_an_error' | 'later';
  /** Why, at most 1000 characters. Visible to everyone who can see the report. */
  readonly note?: string;
  /** Who decides. By default, the name of your account. */
  readonly assessor?: string;
}

export interface SiteChanges {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. An absolute http or https URL of at most 2,048 characters, without credentials. */
  readonly starting_url?: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages?: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit?: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl?: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls?: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt?: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler?: boolean;
  /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
  readonly initial_urls?: string | readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly inclusions?: string | readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly exclusions?: string | readonly string[];
  /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
  readonly device_id?: string | null;
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated?: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
  readonly wait_for?: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes?: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. At most 20, each with at most 100 steps, including 1 to 20 `check` steps. */
  readonly journeys?: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys?: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states?: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
  readonly consent?: 'accept' | 'reject' | '' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots?: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse?: boolean;
  /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks?: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks?: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks?: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks?: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** HTTP Basic credentials. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly basic_auth?: {
    /** May be empty. Must not contain a colon. */
    readonly username: string;
    /** May be empty. */
    readonly password: string;
  } | null;
  /** Request headers, as an object of names and values. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that the site renews with each response will end. Use `login` for such a site. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly cookies?: Readonly<Record<string, string>> | null;
  /** How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it. */
  readonly login?: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** What you call the site. */
  readonly name?: string;
  /** Notes, which only you see. */
  readonly notes?: string;
  /** Whether it is archived: lists leave it out by default, and its schedules do not run. */
  readonly archived?: boolean;
  /** Acknowledges what the last report found, so that the site no longer needs attention because of it. Other attributes do not change. */
  readonly acknowledged?: true;
}

export interface ScheduleChanges {
  /** Where the spider starts: a page, a sitemap, a feed or a list of URLs. An absolute http or https URL of at most 2,048 characters, without credentials. */
  readonly starting_url?: string;
  /** The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account. */
  readonly max_pages?: number;
  /** The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account. */
  readonly rate_limit?: number;
  /** Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists. */
  readonly deep_crawl?: boolean;
  /** Whether a page with a canonical URL on the same site is listed under that URL. */
  readonly prefer_canonical_urls?: boolean;
  /** Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked. */
  readonly respect_robots_txt?: boolean;
  /** Whether pages are rendered in a browser, to find the links that scripts add. */
  readonly dynamic_crawler?: boolean;
  /** Additional URLs from which the spider starts. One per line, or an array. At most 10,000, all absolute. */
  readonly initial_urls?: string | readonly string[];
  /** Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly inclusions?: string | readonly string[];
  /** URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive. One per line, or an array. At most 1,000 of at most 2,048 characters. */
  readonly exclusions?: string | readonly string[];
  /** The device that the crawl and the accessibility checks emulate: an id from the list of devices. Null and an empty string also mean the default device. */
  readonly device_id?: string | null;
  /** Whether to swap the width and height of the device's viewport. */
  readonly device_rotated?: boolean;
  /** A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts. At most 256 characters. Null and an empty string mean none. */
  readonly wait_for?: string | null;
  /** Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API. */
  readonly block_writes?: boolean;
  /** Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret. At most 20, each with at most 100 steps, including 1 to 20 `check` steps. */
  readonly journeys?: readonly {
    /** Its name, which must be unique in the report. */
    readonly name: string;
    /** The first one opens a URL, or a path of the site such as `/shop`. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Checks the page in its current state and adds it to the report under this name, which must be unique in the journey. */
      readonly check?: string;
    }[];
  }[];
  /** Whether the report consists of its `journeys` alone, without the pages that a crawl finds. */
  readonly only_journeys?: boolean;
  /** Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more. */
  readonly explore_states?: boolean;
  /** What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen. An empty string means null. */
  readonly consent?: 'accept' | 'reject' | '' | null;
  /** The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count. An empty string means null. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | '' | null;
  /** Whether best practices count in addition to `standard`. Without a standard, they always count. */
  readonly best_practices?: boolean;
  /** Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks. */
  readonly store_screenshots?: boolean;
  /** Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results. */
  readonly reuse?: boolean;
  /** Tags to filter reports by. Separated by commas, or an array. At most 32 tags of 1 to 64 characters each. Case is ignored. */
  readonly tags?: string | readonly string[];
  /** Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`. */
  readonly shared?: boolean;
  /** Whether to check the HTML of pages. At least one type of check must be on. */
  readonly perform_html_checks?: boolean;
  /** Whether to check the accessibility of pages. At least one type of check must be on. */
  readonly perform_a11y_checks?: boolean;
  /** Whether to request the links of pages to find broken links. At least one type of check must be on. */
  readonly perform_link_checks?: boolean;
  /** Whether to store the raw output of the HTML checks, for 1 credit per page. */
  readonly store_raw_html_checks?: boolean;
  /** Whether to store the raw output of the accessibility checks, for 1 credit per page. */
  readonly store_raw_a11y_checks?: boolean;
  /** Whether to store the raw output of the link checks, for 1 credit per page. */
  readonly store_raw_link_checks?: boolean;
  /** HTTP Basic credentials. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly basic_auth?: {
    /** May be empty. Must not contain a colon. */
    readonly username: string;
    /** May be empty. */
    readonly password: string;
  } | null;
  /** Request headers, as an object of names and values. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that the site renews with each response will end. Use `login` for such a site. Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that looks like a credential. */
  readonly cookies?: Readonly<Record<string, string>> | null;
  /** How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it. */
  readonly login?: {
    /** Up to 50 steps. The first one opens a URL. */
    readonly steps: readonly {
      /** Opens a URL. */
      readonly open?: string;
      /** Fills a field with `value`, `secret` or `totp`. A CSS selector. If several elements match, the first is used. */
      readonly fill?: string;
      /** The text for `fill`, or the value or label of the option for `select`. */
      readonly value?: string;
      /** A secret text for `fill`, such as a password. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly secret?: string | true;
      /** For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL. Stored encrypted and never shown. Responses contain `true` in its place; send `true` to keep the stored secret. */
      readonly totp?: string | true;
      /** Clicks an element. A CSS selector. If several elements match, the first is used. */
      readonly click?: string;
      /** Presses a key, such as `Enter` or `Control+A`, in the focused element. */
      readonly press?: string;
      /** Selects an option of a list. A CSS selector. If several elements match, the first is used. */
      readonly select?: string;
      /** Waits until all given conditions are met, for up to 30 seconds. */
      readonly wait_for?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
      /** Fails unless all given conditions are met within 5 seconds. */
      readonly expect?: {
        /** Part of the URL of the page. */
        readonly url?: string;
        /** The CSS selector of a visible element. */
        readonly selector?: string;
        /** Part of the visible text of the page. */
        readonly text?: string;
      };
    }[];
    /** What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page. */
    readonly signed_in?: {
      /** Part of the URL of the page. */
      readonly url?: string;
      /** The CSS selector of a visible element. */
      readonly selector?: string;
      /** Part of the visible text of the page. */
      readonly text?: string;
    } | null;
  } | null;
  /** The id of the site that it belongs to. The default is the site with its starting URL, or a new site. */
  readonly site_id?: string;
  /** The whole periodicity, with all of its attributes. Null is the same as `deploy`. */
  readonly periodicity?: {
    /** How often it runs. With `deploy`, it only runs when its deploy hook is called. */
    readonly every: 'deploy' | 'month' | 'week' | 'day';
    /** The day of the month, if `every` is `month`. The default is 1. */
    readonly monthday?: number | null;
    /** The day of the week, if `every` is `week`. The default is `monday`. */
    readonly weekday?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null;
  } | null;
  /** The time at which it runs, from `00:00` to `23:59` in `time_zone`. When clocks change, it runs once on that day: right after the change if the time is skipped, and the first time if it is repeated. Null: `schedule_time` of the installation, in UTC. */
  readonly time_of_day?: string | null;
  /** The time zone of `time_of_day` and of the days on which it runs: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone?: string;
  /** Whether it starts within the hour after its time, always at the same minute, so that many schedules with the same time do not start together. `next_run_at` includes that minute. */
  readonly spread?: boolean;
  /** Only active schedules run. */
  readonly active?: boolean;
  /** What makes a report of the schedule fail: `error`, `warning`, `critical`, `serious`, `moderate`, `minor`, `unchecked`, `never`. Separated by commas, or an array. */
  readonly fail_on?: string | readonly string[];
  /** How calls to the deploy hook must be signed: like webhooks of `github`, `gitlab`, `netlify` or `vercel`, or according to Standard Webhooks (`standard`). Null: calls need no signature. */
  readonly deploy_hook_signature?: 'github' | 'gitlab' | 'netlify' | 'standard' | 'vercel' | null;
  /** A secret generated by the sender: 16 to 255 visible ASCII characters, or for `standard` `whsec_` followed by base64. Null: a secret is generated when `deploy_hook_signature` changes, except for `vercel`, which always generates its own. To replace a generated secret, set `deploy_hook_signature` to null and then set it again. */
  readonly deploy_hook_signing_secret?: string | null;
}

export interface NotificationChannelChanges {
  /** The http or https URL that messages are posted to. Absent for the kind `email`, if it was encrypted with another key, and for read-only tokens, because Slack and Teams URLs are secrets. */
  readonly webhook_url?: string;
  /** A name to recognize it by. */
  readonly name?: string;
  /** The events to send: `report.finished` and `report.failed` (a report ended for the first time), `schedule.got_worse` (see `worse_when`), `schedule.out_of_credits` (a schedule created no report, or its report ended early), `guest.near_limit` (a guest has used 80% of a month's credits; sent to the host and the guest), `channel.paused` (another channel was paused because its deliveries kept failing or its receiver returned 410), `backup.failed` and `backup.recovered` (scheduled backups of the installation fail, or work again; sent to operators only). */
  readonly events?: readonly string[];
  /** What makes a report of a schedule worse than the previous report: `new_critical` (new or regressed critical errors), `new_errors` (new or regressed errors of any impact), `broken_pages` (pages that can no longer be checked), `fail_on` (it fails according to the `fail_on` of the schedule, but the previous report passed). */
  readonly worse_when?: readonly string[];
  /** The schedules to notify about. Empty: all reports and schedules. Events without a schedule are always sent. */
  readonly schedule_ids?: readonly string[];
  /** Whether notifications are sent. Only test messages are sent to an inactive channel. */
  readonly active?: boolean;
  /** With `daily`, all events since the last digest are sent in one message, the worst first. Test messages are sent immediately. */
  readonly digest?: 'none' | 'daily';
  /** The hour at which a daily digest is sent. */
  readonly digest_hour?: number;
  /** The time zone of `digest_hour`: a name such as `Europe/Berlin`, or an offset. */
  readonly time_zone?: string;
}

export interface GuestAccountChanges {
  /** Maximum number of credits that the guest can use in a month. */
  readonly max_usage?: number;
  /** Credits that the guest has used this month. Reset to 0 on the first of each month (UTC). */
  readonly current_usage?: number;
}

export interface AccountChanges {
  /** The standard for new sites that do not set `standard`, and for new reports and schedules if neither they nor their site sets it. Null: all issues count. */
  readonly standard?: 'wcag20-a' | 'wcag20-aa' | 'wcag20-aaa' | 'wcag21-a' | 'wcag21-aa' | 'wcag21-aaa' | 'wcag22-a' | 'wcag22-aa' | 'wcag22-aaa' | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5' | null;
  /** The same for `best_practices`. */
  readonly best_practices?: boolean;
}

export interface RetentionChanges {
  /** A report is kept if any setting of an applicable rule keeps it. The rule of its schedule applies; without one, all rules of its tags; without these, the rule that has neither a schedule nor a tag. If no rule applies, the report is kept. */
  readonly rules: readonly {
    /** The rule is for reports with this tag, ignoring case. */
    readonly tag?: string;
    /** The rule is for the reports of this schedule. */
    readonly schedule_id?: string;
    /** Keeps this many of the newest complete reports of each site, and reports that are newer than these. */
    readonly keep_last?: number;
    /** Keeps the reports of this many days. */
    readonly keep_days?: number;
    /** For each site, keeps one report per week, for this many weeks that have a report: the newest complete report, or the newest if none is complete. */
    readonly keep_weekly?: number;
    /** For each site, keeps one report per month, for this many months that have a report. */
    readonly keep_monthly?: number;
    /** For each site, keeps one report per year, for this many years that have a report. */
    readonly keep_yearly?: number;
  }[];
}

export interface OperatedAccountChanges {
  /** Whether it may see and manage the whole installation. */
  readonly operator?: boolean;
}

/** The attributes of each type of resource. */
export interface Attributes {
  report: Report;
  shared_site: SharedSite;
  share_link: ShareLink;
  web_page: WebPage;
  web_page_source: WebPageSource;
  common_html_issue: CommonHtmlIssue;
  common_a11y_issue: CommonA11yIssue;
  common_link_issue: CommonLinkIssue;
  cluster: Cluster;
  occurrence: Occurrence;
  html_issue: HtmlIssue;
  a11y_issue: A11yIssue;
  link_issue: LinkIssue;
  recheck: Recheck;
  fixed_issue: FixedIssue;
  decision: Decision;
  issue_change: IssueChange;
  page_change: PageChange;
  fix: Fix;
  raw_check: RawCheck;
  screenshot: Screenshot;
  excluded_url: ExcludedUrl;
  discovered_url: DiscoveredUrl;
  device: Device;
  site_comparison: SiteComparison;
  login_test: LoginTest;
  journey_test: JourneyTest;
  site: Site;
  bulk_run: BulkRun;
  bulk_update: BulkUpdate;
  site_tag: SiteTag;
  stat: Stat;
  schedule: Schedule;
  notification_channel: NotificationChannel;
  notification_delivery: NotificationDelivery;
  guest_account: GuestAccount;
  account: Account;
  api_token: ApiToken;
  credit_entry: CreditEntry;
  audit_entry: AuditEntry;
  muting: Muting;
  muting_preview: MutingPreview;
  search_result: SearchResult;
  retention: Retention;
  retention_preview: RetentionPreview;
  operation: Operation;
  worker: Worker;
  failing_channel: FailingChannel;
  slow_site: SlowSite;
  operated_account: OperatedAccount;
  installation: Installation;
}

/** What a request that creates a resource of a type may say. */
export interface NewAttributes {
  report: NewReportAttributes;
  share_link: NewShareLinkAttributes;
  recheck: NewRecheckAttributes;
  decision: NewDecisionAttributes;
  site: NewSiteAttributes;
  bulk_run: NewBulkRunAttributes;
  bulk_update: NewBulkUpdateAttributes;
  schedule: NewScheduleAttributes;
  notification_channel: NewNotificationChannelAttributes;
  guest_account: NewGuestAccountAttributes;
  api_token: NewApiTokenAttributes;
  muting: NewMutingAttributes;
  retention_preview: NewRetentionPreviewAttributes;
  operated_account: NewOperatedAccountAttributes;
}

/** What a request that changes a resource of a type may say. */
export interface ChangedAttributes {
  report: ReportChanges;
  web_page: WebPageChanges;
  decision: DecisionChanges;
  site: SiteChanges;
  schedule: ScheduleChanges;
  notification_channel: NotificationChannelChanges;
  guest_account: GuestAccountChanges;
  account: AccountChanges;
  retention: RetentionChanges;
  operated_account: OperatedAccountChanges;
}

/** The names of the relationships of each type of resource. */
export interface Relationships {
  report: 'web_pages' | 'common_html_issues' | 'common_a11y_issues' | 'common_link_issues' | 'site' | 'previous' | 'schedule' | 'device' | 'guest_token' | 'mutings' | 'excluded_urls' | 'discovered_urls' | 'changes' | 'fixes';
  shared_site: 'last_report' | 'comparison';
  share_link: 'site';
  web_page: 'report' | 'html_issues' | 'a11y_issues' | 'link_issues' | 'raw_html_check' | 'raw_a11y_check' | 'raw_link_check' | 'screenshot' | 'fixed_issues' | 'source';
  web_page_source: 'web_page';
  common_html_issue: 'web_pages' | 'clusters' | 'occurrences';
  common_a11y_issue: 'web_pages' | 'clusters' | 'occurrences';
  common_link_issue: 'web_pages' | 'clusters' | 'occurrences';
  cluster: 'occurrences';
  occurrence: 'web_page' | 'issue';
  html_issue: 'report' | 'web_page' | 'common_issue';
  a11y_issue: 'report' | 'web_page' | 'common_issue';
  link_issue: 'report' | 'web_page' | 'common_issue';
  recheck: 'report';
  fixed_issue: 'web_page';
  decision: 'site';
  issue_change: 'common_issue';
  page_change: 'web_page';
  fix: 'common_issue' | 'occurrences' | 'web_page';
  raw_check: never;
  screenshot: never;
  excluded_url: never;
  discovered_url: 'web_page';
  device: never;
  site_comparison: 'changes';
  login_test: never;
  journey_test: never;
  site: 'last_report' | 'reports' | 'schedules' | 'device';
  bulk_run: never;
  bulk_update: never;
  site_tag: never;
  stat: 'site';
  schedule: 'reports' | 'site' | 'device';
  notification_channel: 'deliveries';
  notification_delivery: 'channel' | 'report';
  guest_account: never;
  account: 'guest_account';
  api_token: never;
  credit_entry: never;
  audit_entry: never;
  muting: never;
  muting_preview: never;
  search_result: never;
  retention: never;
  retention_preview: never;
  operation: never;
  worker: never;
  failing_channel: never;
  slow_site: never;
  operated_account: never;
  installation: never;
}

/** What `meta` of a list of each type of resource contains besides `total` and `page`. */
export interface ListMeta {
  report: object;
  shared_site: {
    /** The tag of the link; null for the link of a site. */
    readonly tag: string | null;
    /** The name of the account that shares the sites; null if it has none. */
    readonly shared_by: string | null;
  };
  share_link: object;
  web_page: object;
  common_html_issue: object;
  common_a11y_issue: object;
  common_link_issue: object;
  cluster: {
    /** Occurrences in clusters beyond the 1,000 largest. */
    readonly unlisted: number;
  };
  occurrence: object;
  html_issue: object;
  a11y_issue: object;
  link_issue: object;
  recheck: object;
  fixed_issue: {
    /** Fixed occurrences of issue types that are not in the list. */
    readonly unlisted: number;
  };
  decision: object;
  issue_change: {
    /** The id of the earlier report; null if there is none that you can read, or if the comparison is not computed yet. */
    readonly with: string | null;
    /** How the pages of the two reports are matched: by `url`; or by `path`, the part of the URL after the host, because the reports are of different origins, such as staging and production. Null if `with` is null. */
    readonly matched_by: 'url' | 'path' | null;
    /** Whether the two reports are of different sites, so that differences are not changes to one site over time: `new` is what only this report has, and `fixed` what only the other report has. Null if `with` is null. */
    readonly other_site: boolean | null;
    /** The settings that differ between the two reports and affect what they check, in no particular order. */
    readonly settings: readonly {
      /** The attribute of the report; `checks` for the enabled types of check, `device` for the name of the device, `signs_in` for site credentials. For `journeys`, the names: both lists are the same if only steps differ. */
      readonly name: string;
      /** Its value in the earlier report. */
      readonly before: string | number | boolean | null | readonly string[];
      /** Its value in this report. */
      readonly now: string | number | boolean | null | readonly string[];
    }[];
    /** Whether the comparison reflects the current state of the report; false while it is being computed. */
    readonly is_current: boolean;
    /** Whether re-checks, mutings or decisions have changed the results of this report since it ended, so that `at=now` returns other changes. */
    readonly changed_since_end: boolean;
    /** Occurrences by change, regardless of filters: the sums of `occurrences` of all issue types. */
    readonly changes: {
      /** Occurrences that are new. */
      readonly new: number;
      /** Occurrences that are regressed. */
      readonly regressed: number;
      /** Occurrences that are not_checked_before. */
      readonly not_checked_before: number;
      /** Occurrences that are persisting. */
      readonly persisting: number;
      /** Occurrences that are fixed. */
      readonly fixed: number;
      /** Occurrences that are unverified. */
      readonly unverified: number;
    };
    /** Occurrences that decisions have changed. They are neither new nor fixed. */
    readonly decided: {
      /** Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`. */
      readonly error: number;
      /** Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`. */
      readonly not_an_error: number;
      /** Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`. */
      readonly error_before: number;
      /** Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`. */
      readonly not_an_error_before: number;
    };
    /** Issue types by change, regardless of filters. A type can have several changes. */
    readonly issue_types: {
      /** Issue types that `filter[change]=new` finds. */
      readonly new: number;
      /** Issue types that `filter[change]=regressed` finds. */
      readonly regressed: number;
      /** Issue types that `filter[change]=not_checked_before` finds. */
      readonly not_checked_before: number;
      /** Issue types that `filter[change]=persisting` finds. */
      readonly persisting: number;
      /** Issue types that `filter[change]=fixed` finds. */
      readonly fixed: number;
      /** Issue types that `filter[change]=unverified` finds. */
      readonly unverified: number;
      /** Issue types that `filter[change]=more` finds. */
      readonly more: number;
      /** Issue types that `filter[change]=fewer` finds. */
      readonly fewer: number;
    };
  };
  page_change: {
    /** The id of the earlier report; null if there is none that you can read, or if the comparison is not computed yet. */
    readonly with: string | null;
    /** How the pages of the two reports are matched: by `url`; or by `path`, the part of the URL after the host, because the reports are of different origins, such as staging and production. Null if `with` is null. */
    readonly matched_by: 'url' | 'path' | null;
    /** Whether the two reports are of different sites, so that differences are not changes to one site over time: `new` is what only this report has, and `fixed` what only the other report has. Null if `with` is null. */
    readonly other_site: boolean | null;
    /** Pages by change, regardless of filters. */
    readonly changes: {
      /** Pages that are broken. */
      readonly broken: number;
      /** Pages that are recovered. */
      readonly recovered: number;
      /** Pages that are added. */
      readonly added: number;
      /** Pages that are removed. */
      readonly removed: number;
    };
  };
  fix: {
    /** Number of further causes of errors beyond the end of the plan. The lists of common issues include all errors. */
    readonly left_out: number;
    /** Whether the plan reflects the current state of the report; false while it is being computed. */
    readonly is_current: boolean;
  };
  excluded_url: object;
  discovered_url: {
    /** Number of URLs of the whole report with each outcome, regardless of filters. They add up to all stored URLs; `page` and `failed` add up to `num_pages`. */
    readonly outcomes: {
      /** URLs with this outcome: a web page of the report. */
      readonly page: number;
      /** URLs with this outcome: a web page of the report that could not be fetched. */
      readonly failed: number;
      /** URLs with this outcome: redirects to `target`. */
      readonly redirected: number;
      /** URLs with this outcome: has `target` as its canonical URL. */
      readonly duplicate: number;
      /** URLs with this outcome: not HTML. */
      readonly not_html: number;
      /** URLs with this outcome: a sitemap. */
      readonly sitemap: number;
      /** URLs with this outcome: disallowed by robots.txt. */
      readonly robots: number;
      /** URLs with this outcome: matches an exclusion, or looks like a logout. */
      readonly excluded: number;
      /** URLs with this outcome: matches none of the inclusions. */
      readonly not_included: number;
      /** URLs with this outcome: on another site. */
      readonly off_site: number;
      /** URLs with this outcome: too many links away from the start without `deep_crawl`. */
      readonly too_deep: number;
      /** URLs with this outcome: not in the sitemap that the report starts from. */
      readonly not_listed: number;
      /** URLs with this outcome: a web page deleted from the report. */
      readonly deleted: number;
      /** URLs with this outcome: not visited yet. */
      readonly waiting: number;
      /** URLs with this outcome: not visited, because the report reached `max_pages`. */
      readonly over_max_pages: number;
      /** URLs with this outcome: not visited, because the crawl ended early. */
      readonly not_visited: number;
    };
    /** Number of URLs with each outcome, of the URLs that match the filters. They add up to `total`. */
    readonly matching_outcomes: {
      /** URLs with this outcome: a web page of the report. */
      readonly page: number;
      /** URLs with this outcome: a web page of the report that could not be fetched. */
      readonly failed: number;
      /** URLs with this outcome: redirects to `target`. */
      readonly redirected: number;
      /** URLs with this outcome: has `target` as its canonical URL. */
      readonly duplicate: number;
      /** URLs with this outcome: not HTML. */
      readonly not_html: number;
      /** URLs with this outcome: a sitemap. */
      readonly sitemap: number;
      /** URLs with this outcome: disallowed by robots.txt. */
      readonly robots: number;
      /** URLs with this outcome: matches an exclusion, or looks like a logout. */
      readonly excluded: number;
      /** URLs with this outcome: matches none of the inclusions. */
      readonly not_included: number;
      /** URLs with this outcome: on another site. */
      readonly off_site: number;
      /** URLs with this outcome: too many links away from the start without `deep_crawl`. */
      readonly too_deep: number;
      /** URLs with this outcome: not in the sitemap that the report starts from. */
      readonly not_listed: number;
      /** URLs with this outcome: a web page deleted from the report. */
      readonly deleted: number;
      /** URLs with this outcome: not visited yet. */
      readonly waiting: number;
      /** URLs with this outcome: not visited, because the report reached `max_pages`. */
      readonly over_max_pages: number;
      /** URLs with this outcome: not visited, because the crawl ended early. */
      readonly not_visited: number;
    };
    /** Number of times URLs were found after the list was full. A URL found on several pages is counted each time. */
    readonly not_kept: number;
  };
  device: object;
  site: object;
  site_tag: {
    /** The totals of all sites that match the filters. Each site counts once. */
    readonly sums: {
      /** Number of sites. */
      readonly num_sites: number;
      /** Sites that need attention: the sites of `filter[attention]=any`. */
      readonly num_needing_attention: number;
      /** Total errors that the last runs of the sites have now, of the types of check in your plan. */
      readonly errors: number;
      /** Errors with critical impact among them. */
      readonly critical: number;
    };
  };
  stat: object;
  schedule: object;
  notification_channel: object;
  notification_delivery: object;
  guest_account: object;
  api_token: object;
  credit_entry: object;
  audit_entry: object;
  muting: object;
  search_result: object;
  worker: object;
  failing_channel: object;
  slow_site: object;
  operated_account: object;
}

