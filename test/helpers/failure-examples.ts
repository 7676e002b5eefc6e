import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { windowsPerPage } from '../../src/browser/limits.ts';
import { PAGE_LOAD_LIMITS } from '../../src/browser/page-load/limits.ts';
import { UNFINISHED_MAX } from '../../src/checking/check-pages.ts';
import { threadLimits } from '../../src/checking/interpreter.ts';
import { A11Y_LIMITS } from '../../src/checks/a11y/limits.ts';
import { answerMaxBytes, entityExpansionMaxCharacters, htmlCheckTimeoutMs } from '../../src/checks/html/limits.ts';
import { REFUSED_IN_A_ROW } from '../../src/crawling/crawl-error.ts';
import { journeyMaxBytes, journeyTimeoutMs } from '../../src/crawling/journeys/limits.ts';
import { CRAWL_FAILURES_MAX } from '../../src/crawling/start-crawling.ts';
import type { Failure, FailureCode } from '../../src/domain/failures/failure.ts';
import { bodyIdleTimeoutMs, documentMaxBytes, headersTimeoutMs, requestTimeoutMs } from '../../src/egress/limits.ts';
import {
  codeWaitMaxMs,
  expectTimeoutMs,
  loginsPerReportMax,
  loginsTimeMaxMs,
  sessionEndsMax,
  stepTimeoutMs,
  testTimeoutMs,
} from '../../src/logins/limits.ts';
import { webhookLimits } from '../../src/notifications/send-webhook.ts';
import { redirectsMax, sitemapMaxBytes, sitemapsMax } from '../../src/spider/limits.ts';

type ParamsOf<Code extends FailureCode> = Extract<Failure, { readonly code: Code }>['params'];

const seconds = (ms: number) => ({ seconds: ms / 1_000 });
const mebibytes = (bytes: number) => bytes / 1_048_576;

const host = 'www.example.com';
const page = 'https://www.example.com/products';
const names = ['headers', 'cookies'] as const;
const elsewhere = 'https://shop.example.net/';
const signIn = 'https://www.example.com/login';
const imageType = { content_type: 'image/png' };
const position = { line: 12, urls: 40 };
const ofAccount = { payer: 'account' } as const;
const none = {};
const notFound: Failure = { code: 'error_status', params: { status: 404 } };
const notAccepted: Failure = { code: 'sign_in_not_accepted', params: { status: 401, names } };
const crashed: Failure = { code: 'page_crashed', params: {} };
const stepFailure = {
  code: 'login_step_failed',
  params: {
    step: 3,
    action: 'click',
    selector: '#menu',
    why: { code: 'login_element_missing', params: seconds(stepTimeoutMs) },
  },
} as const;
const brokenSitemap: Failure = { code: 'sitemap_xml_broken', params: position };

/**
 * What `docs/errors.md` shows of each failure: parameters as a service stores them, with its limits, and with the messages of
 * other programs.
 */
export const FAILURE_EXAMPLES: { readonly [Code in FailureCode]: ParamsOf<Code> } = {
  address_refused: { host: 'intranet.example.com', is_name: true },
  port_refused: { port: 25 },
  name_not_found: { host },
  name_lookup_failed: { host },
  name_lookup_timeout: { host },
  connection_refused: none,
  host_unreachable: none,
  connect_timeout: none,
  certificate_expired: { host },
  certificate_not_yet_valid: { host },
  certificate_wrong_name: { host },
  certificate_untrusted: { host },
  tls_failed: none,
  connection_broken: none,
  headers_timeout: seconds(headersTimeoutMs),
  body_timeout: seconds(bodyIdleTimeoutMs),
  request_timeout: seconds(requestTimeoutMs),
  head_too_large: none,
  body_too_large: { mebibytes: mebibytes(documentMaxBytes) },
  body_incomplete: none,
  body_undecodable: none,
  invalid_answer: none,
  fetch_failed: none,
  error_status: { status: 404 },
  no_content: { status: 204 },
  too_busy: { why: { code: 'error_status', params: { status: 429 } } },
  basic_auth_wanted: { status: 401 },
  sign_in_wanted: { status: 401 },
  sign_in_not_accepted: { status: 401, names },
  forbidden_despite_sign_in: { status: 403, names },
  redirect_without_location: none,
  redirect_circle: none,
  redirect_circle_despite_sign_in: { names },
  too_many_redirects: { max: redirectsMax },
  leads_to_sign_in: { url: signIn, names },
  leads_to_other_origin: { url: elsewhere, names },
  not_html: imageType,
  redirects_now: { url: page },
  no_longer_html: imageType,
  excluded: { text: '/archive/' },
  signs_out: none,
  link_signs_out: none,
  robots_disallows: none,
  robots_unreadable: { why: { code: 'robots_error_status', params: { status: 503 } } },
  robots_error_status: { status: 503 },

  sitemap_xml_broken: position,
  sitemap_too_deep: position,
  sitemap_too_large: { mebibytes: mebibytes(sitemapMaxBytes), urls: 45_000 },
  sitemap_gzip_broken: { urls: 40 },
  sitemap_nested_too_deep: none,
  sitemap_elsewhere: none,
  sitemap_is_html: none,
  sitemap_is_other: imageType,
  sitemap_redirects: { max: redirectsMax },
  sitemap_lists_too_many: { max: sitemapsMax, not_read: 200 },

  validator_unavailable: { text: `it was not ready within ${htmlCheckTimeoutMs / 1_000} s` },
  validator_silent: { text: 'other side closed' },
  validator_error_status: { status: 500 },
  validator_unusable_answer: none,
  validator_gave_up: {
    text: 'Oops. That was not supposed to happen. A bug manifested itself in the application internals.',
  },
  validator_timeout: seconds(htmlCheckTimeoutMs),
  entities_too_long: { characters: entityExpansionMaxCharacters },
  html_answer_too_large: { mebibytes: mebibytes(answerMaxBytes), text: 'Duplicate ID “menu”.' },
  a11y_answer_too_large: { characters: A11Y_LIMITS.resultMaxCharacters },
  too_much_found: none,
  interpretation_timeout: seconds(threadLimits.taskTimeoutMs),
  page_late: seconds(PAGE_LOAD_LIMITS.loadTimeoutMs),
  page_is_download: none,
  page_not_shown: { text: 'net::ERR_INVALID_RESPONSE' },
  cookie_refused: none,
  leads_on: { url: elsewhere },
  replaces_itself: { url: page },
  still_loading: { ...seconds(PAGE_LOAD_LIMITS.loadTimeoutMs), waiting_for: 'https://cdn.example.net/slow.js' },
  script_missing: { url: 'https://www.example.com/app.js', text: 'HTTP 503' },
  script_without_end: none,
  page_timeout: { work: 'check', ...seconds(A11Y_LIMITS.checkTimeoutMs) },
  page_memory: none,
  page_windows: { max: windowsPerPage },
  page_crashed: none,
  page_closed_itself: none,
  browser_ended: none,
  page_given_up: none,
  page_work_stopped: { work: 'check', text: 'Execution context was destroyed' },
  device_unknown: none,
  check_never_ended: { times: UNFINISHED_MAX + 1 },
  check_error: { text: 'write EPIPE' },
  check_broke_off: none,
  check_not_saved: none,
  credits_over_for_check: ofAccount,
  credits_over_for_rendering: ofAccount,

  start_failed: { why: notFound },
  start_disallowed: { why: { code: 'robots_disallows', params: {} } },
  start_not_html: { content_type: 'application/pdf' },
  start_asks_password: { names },
  start_not_rendered: { why: crashed },
  start_leads_away: { url: signIn },
  start_needs_login: { url: signIn },
  start_links_to_routes: none,
  start_links_excluded: none,
  start_links_not_included: { is_page: false },
  start_without_links: { is_rendered: false },
  sitemap_without_pages: none,
  sitemap_pages_excluded: none,
  sitemap_pages_not_included: none,
  start_sitemap_incomplete: { why: brokenSitemap },
  sitemaps_incomplete: {
    named_by: 'robots_txt',
    sitemaps: [{ url: 'https://www.example.com/sitemap.xml', why: brokenSitemap }],
    more: 0,
  },
  several: {
    failures: [
      { code: 'sitemap_without_pages', params: {} },
      { code: 'start_sitemap_incomplete', params: { why: { code: 'sitemap_gzip_broken', params: { urls: 40 } } } },
    ],
  },
  signed_out_by_refusal: { times: REFUSED_IN_A_ROW, url: page, why: notAccepted },
  signed_out_by_password: { times: REFUSED_IN_A_ROW, url: page, names },
  too_much_text: none,
  no_page_included: none,
  no_page_fetched: none,
  credits_over: ofAccount,
  credits_over_in_crawl: ofAccount,
  report_stopped: none,
  crawl_broke_off: { times: CRAWL_FAILURES_MAX },
  access_unreadable: none,

  login_failed: { why: stepFailure },
  login_missing: none,
  login_step_failed: stepFailure.params,
  journey_step_failed: {
    ...{ step: 4, action: 'expect', selector: '#cart', text: '1 item' },
    why: { code: 'login_not_met', params: { url: page, seconds: expectTimeoutMs / 1_000 } },
  },
  journey_broke_off: { why: crashed },
  journey_too_long: seconds(journeyTimeoutMs),
  journey_too_large: { megabytes: journeyMaxBytes / 1_000_000 },
  journey_secret_missing: none,
  journey_interrupted: none,
  journey_unknown: none,
  rendered_dom_too_large: { characters: 5_000_000 },
  login_page_not_opened: { text: 'net::ERR_CONNECTION_REFUSED' },
  login_page_status: { status: 404 },
  login_element_missing: seconds(stepTimeoutMs),
  login_element_unusable: seconds(stepTimeoutMs),
  login_option_missing: seconds(stepTimeoutMs),
  login_code_not_free: seconds(codeWaitMaxMs),
  login_not_met: { url: page, seconds: expectTimeoutMs / 1_000 },
  login_not_signed_in: { url: page },
  login_code_refused: { url: page },
  login_test_not_met: { url: page, test: { selector: '#account-menu' } },
  login_ends_elsewhere: { url: page },
  login_broke_off: { why: crashed },
  browser_unavailable: {
    text: 'The browser /usr/bin/chromium (Chromium 153.0.8000.12) did not start: it exited with status 1. Set SITEWARDEN_CHROMIUM to another Chromium or Chrome binary, or unset it to use the bundled one.',
  },
  login_not_tried_in_time: seconds(testTimeoutMs),
  login_too_often: { max: loginsPerReportMax },
  login_too_long: { minutes: loginsTimeMaxMs / 60_000 },
  login_not_kept: { times: sessionEndsMax },

  plan_without_schedules: none,
  not_enough_credits: ofAccount,
  too_many_waiting: { max: DEFAULT_LIMITS.pro.waiting_reports },

  receiver_answered: { status: 500 },
  receiver_redirects: { status: 302 },
  receiver_gone: { status: 410 },
  receiver_silent: seconds(webhookLimits.headersTimeoutMs),
  receiver_unreadable: none,
  recipient_stopped: none,
  mail_not_set_up: none,
  mail_server_unreachable: none,
  mail_refused: { text: '550 5.1.1 No such user here' },
  delivery_broke_off: none,
};
