import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';

/** The labels of API attributes in forms, if they differ from the attribute names. */
const LABELS = new Map<string, string>([
  ...Object.entries(REPORT_ATTRIBUTES).flatMap(([name, { field, label }]) =>
    field === 'flag' ? [] : [[name, label] as const],
  ),
  ['periodicity', 'When'],
  ['time_of_day', 'Time'],
  ['fail_on', '“A run fails if it finds”'],
  ['max_usage', 'The monthly limit'],
  ['current_usage', 'Used this month'],
  ['url_match', 'Part of the URL'],
  ['expires_at', 'The end date'],
  ['webhook_url', 'URL'],
  ['events', '“Notify when”'],
  ['worse_when', '“A report is worse when”'],
  ['digest_hour', 'Hour'],
  ['deploy_hook_signature', 'Signature'],
  ['deploy_hook_signing_secret', 'Secret'],
]);

/** Returns an API error with the label of the form field instead of the attribute name at its start. */
export function withLabel(detail: string, field: string | null): string {
  const label = LABELS.get(field ?? '');
  const name = (field ?? '').replaceAll('_', ' ');
  return label !== undefined && detail.toLowerCase().startsWith(name) ? label + detail.slice(name.length) : detail;
}
