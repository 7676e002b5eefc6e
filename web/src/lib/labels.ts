import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';

/** What forms call attributes of the API, where that is not the name of the attribute. */
const LABELS = new Map<string, string>([
  ...Object.entries(REPORT_ATTRIBUTES).flatMap(([name, { field, label }]) =>
    field === 'flag' ? [] : [[name, label] as const],
  ),
  ['periodicity', 'When'],
  ['fail_on', 'What makes a run fail'],
  ['max_usage', 'The limit per month'],
  ['current_usage', 'Used this month'],
  ['url_match', 'Part of the URL'],
  ['expires_at', 'The end'],
  ['webhook_url', 'URL'],
  ['events', 'What it is told'],
  ['worse_when', 'What counts as worse'],
  ['digest_hour', 'Hour'],
  ['deploy_hook_signature', 'Signature'],
  ['deploy_hook_signing_secret', 'Secret'],
]);

/** Returns an error of the API with the label of its field in the form, instead of the name of the attribute with which it begins. */
export function withLabel(detail: string, field: string | null): string {
  const label = LABELS.get(field ?? '');
  const name = (field ?? '').replaceAll('_', ' ');
  return label !== undefined && detail.toLowerCase().startsWith(name) ? label + detail.slice(name.length) : detail;
}
