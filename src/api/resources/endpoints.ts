import type { Endpoint } from '../http/endpoint.ts';
import { A11Y_ISSUE_ENDPOINTS } from './a11y-issue.ts';
import { ACCOUNT_ENDPOINTS } from './account.ts';
import { API_TOKEN_ENDPOINTS } from './api-token.ts';
import { COMMON_A11Y_ISSUE_ENDPOINTS } from './common-a11y-issue.ts';
import { COMMON_HTML_ISSUE_ENDPOINTS } from './common-html-issue.ts';
import { CREDIT_ENTRY_ENDPOINTS } from './credit-entry.ts';
import { DEVICE_ENDPOINTS } from './device.ts';
import { DISCOVERED_URL_ENDPOINTS } from './discovered-url.ts';
import { EXCLUDED_URL_ENDPOINTS } from './excluded-url.ts';
import { GUEST_ACCOUNT_ENDPOINTS } from './guest-account.ts';
import { HTML_ISSUE_ENDPOINTS } from './html-issue.ts';
import { MUTING_ENDPOINTS } from './muting.ts';
import { RAW_CHECK_ENDPOINTS } from './raw-check.ts';
import { REPORT_ENDPOINTS } from './report.ts';
import { SCHEDULE_ENDPOINTS } from './schedule.ts';
import { WEB_PAGE_ENDPOINTS } from './web-page.ts';

/** Everything below `/api/v1`. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...REPORT_ENDPOINTS,
  ...WEB_PAGE_ENDPOINTS,
  ...COMMON_HTML_ISSUE_ENDPOINTS,
  ...COMMON_A11Y_ISSUE_ENDPOINTS,
  ...HTML_ISSUE_ENDPOINTS,
  ...A11Y_ISSUE_ENDPOINTS,
  ...RAW_CHECK_ENDPOINTS,
  ...EXCLUDED_URL_ENDPOINTS,
  ...DISCOVERED_URL_ENDPOINTS,
  ...DEVICE_ENDPOINTS,
  ...SCHEDULE_ENDPOINTS,
  ...GUEST_ACCOUNT_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...API_TOKEN_ENDPOINTS,
  ...CREDIT_ENTRY_ENDPOINTS,
  ...MUTING_ENDPOINTS,
];
