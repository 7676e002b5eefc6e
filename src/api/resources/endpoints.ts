import { ENGINES } from '../../checks/registry.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { ACCOUNT_ENDPOINTS, CREDIT_ENTRY_ENDPOINTS } from './account.ts';
import { API_TOKEN_ENDPOINTS } from './api-token.ts';
import { AUDIT_ENTRY_ENDPOINTS } from './audit-entry.ts';
import { BULK_RUN_ENDPOINTS } from './bulk-run.ts';
import { BULK_UPDATE_ENDPOINTS } from './bulk-update.ts';
import { clusterEndpoints } from './cluster.ts';
import { commonIssueEndpoints } from './common-issue.ts';
import { DECISION_ENDPOINTS } from './decision.ts';
import { DEVICE_ENDPOINTS } from './device.ts';
import { DISCOVERED_URL_ENDPOINTS, EXCLUDED_URL_ENDPOINTS } from './discovered-url.ts';
import { EVENT_ENDPOINTS } from './events.ts';
import { EXPORT_ENDPOINTS } from './export.ts';
import { FIX_ENDPOINTS } from './fix.ts';
import { GUEST_ACCOUNT_ENDPOINTS } from './guest-account.ts';
import { issueEndpoints } from './issue.ts';
import { CHANGE_ENDPOINTS } from './issue-change.ts';
import { JOURNEY_TEST_ENDPOINTS } from './journey-test.ts';
import { LOGIN_TEST_ENDPOINTS } from './login-test.ts';
import { MUTING_ENDPOINTS } from './muting.ts';
import { NOTIFICATION_CHANNEL_ENDPOINTS } from './notification-channel.ts';
import { NOTIFICATION_DELIVERY_ENDPOINTS } from './notification-delivery.ts';
import { occurrenceEndpoints } from './occurrence.ts';
import { OPERATED_ACCOUNT_ENDPOINTS } from './operated-account.ts';
import { OPERATION_ENDPOINTS } from './operation.ts';
import { PAGE_CHANGE_ENDPOINTS } from './page-change.ts';
import { RAW_CHECK_ENDPOINTS } from './raw-check.ts';
import { FIXED_ISSUE_ENDPOINTS, RECHECK_ENDPOINTS } from './recheck.ts';
import { REPORT_ENDPOINTS, SHARE_ENDPOINTS } from './report.ts';
import { RETENTION_ENDPOINTS } from './retention.ts';
import { SCHEDULE_ENDPOINTS } from './schedule.ts';
import { SCREENSHOT_ENDPOINTS } from './screenshot.ts';
import { SEARCH_ENDPOINTS } from './search-result.ts';
import { SHARE_LINK_ENDPOINTS } from './share-link.ts';
import { SHARED_SITE_ENDPOINTS } from './shared-site.ts';
import { SITE_ENDPOINTS } from './site.ts';
import { SITE_COMPARISON_ENDPOINTS } from './site-comparison.ts';
import { SITE_TAG_ENDPOINTS } from './site-tag.ts';
import { STAT_ENDPOINTS } from './stat.ts';
import { WEB_PAGE_ENDPOINTS } from './web-page.ts';
import { WEB_PAGE_SOURCE_ENDPOINTS } from './web-page-source.ts';

/** Everything below `/api/v1`. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...REPORT_ENDPOINTS,
  ...SHARE_ENDPOINTS,
  ...SHARED_SITE_ENDPOINTS,
  ...SHARE_LINK_ENDPOINTS,
  ...EVENT_ENDPOINTS,
  ...WEB_PAGE_ENDPOINTS,
  ...WEB_PAGE_SOURCE_ENDPOINTS,
  ...ENGINES.flatMap(commonIssueEndpoints),
  ...ENGINES.flatMap(clusterEndpoints),
  ...ENGINES.flatMap(occurrenceEndpoints),
  ...ENGINES.flatMap(issueEndpoints),
  ...RECHECK_ENDPOINTS,
  ...FIXED_ISSUE_ENDPOINTS,
  ...DECISION_ENDPOINTS,
  ...CHANGE_ENDPOINTS,
  ...PAGE_CHANGE_ENDPOINTS,
  ...FIX_ENDPOINTS,
  ...EXPORT_ENDPOINTS,
  ...RAW_CHECK_ENDPOINTS,
  ...SCREENSHOT_ENDPOINTS,
  ...EXCLUDED_URL_ENDPOINTS,
  ...DISCOVERED_URL_ENDPOINTS,
  ...DEVICE_ENDPOINTS,
  ...SITE_COMPARISON_ENDPOINTS,
  ...LOGIN_TEST_ENDPOINTS,
  ...JOURNEY_TEST_ENDPOINTS,
  ...SITE_ENDPOINTS,
  ...BULK_RUN_ENDPOINTS,
  ...BULK_UPDATE_ENDPOINTS,
  ...SITE_TAG_ENDPOINTS,
  ...STAT_ENDPOINTS,
  ...SCHEDULE_ENDPOINTS,
  ...NOTIFICATION_CHANNEL_ENDPOINTS,
  ...NOTIFICATION_DELIVERY_ENDPOINTS,
  ...GUEST_ACCOUNT_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...API_TOKEN_ENDPOINTS,
  ...CREDIT_ENTRY_ENDPOINTS,
  ...AUDIT_ENTRY_ENDPOINTS,
  ...MUTING_ENDPOINTS,
  ...SEARCH_ENDPOINTS,
  ...RETENTION_ENDPOINTS,
  ...OPERATION_ENDPOINTS,
  ...OPERATED_ACCOUNT_ENDPOINTS,
];
