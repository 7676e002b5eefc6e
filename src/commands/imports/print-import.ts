import { creditsOfPage } from '../../../packages/client/price.ts';
import { plural } from '../../domain/amounts.ts';
import type { Terminal } from '../terminal.ts';
import { writeText } from '../text-layout.ts';
import type { ServiceCreation } from './create-from-service.ts';
import type { DeviceMatch } from './devices.ts';
import type { ApiImport } from './from-api.ts';
import type { SitesThere, SiteThere } from './reports.ts';

/** Prints what was created from another service, or would be, and what is not imported. */
export function printImport(
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  found: ApiImport,
  { created, isDryRun }: { readonly created: ServiceCreation; readonly isDryRun: boolean },
): void {
  const { schedules, mutings, reports, refused } = created;
  const devices = new Set([...found.devices, ...reports.flatMap(({ device }) => device ?? [])]);
  const withoutPlace = [...devices].filter(({ here }) => here === undefined).map(deviceRemark);
  for (const line of [...found.remarks, ...withoutPlace, ...refused]) writeText(stderr, line);

  for (const device of devices) if (device.here !== undefined) writeText(stdout, deviceLine(device));
  for (const { starting_url: url, periodicity } of schedules) {
    writeText(stdout, `schedule  ${periodicity.every.padEnd(6)}  ${url}`);
  }
  for (const { url_match: url, message } of mutings) writeText(stdout, `muting    ${message}  on ${url}`);
  for (const { attributes, pages } of reports) {
    writeText(stdout, `report    ${plural(pages, 'page')} there  ${attributes.starting_url}`);
  }
  const counts = [plural(schedules.length, 'schedule'), plural(mutings.length, 'muting')];
  const taken =
    found.sites === null ? counts.join(' and ') : `${counts.join(', ')} and ${plural(reports.length, 'report')}`;
  const present = found.present + (found.sites?.present ?? 0);
  const rest = `${present} already ${present === 1 ? 'exists' : 'exist'}`;
  writeText(stdout, isDryRun ? `Would create ${taken}; ${rest}. Nothing was created.` : `Created ${taken}; ${rest}.`);
  if (found.sites !== null) for (const line of siteLines(found.sites, reports)) writeText(stdout, line);
}

function deviceRemark({ name }: DeviceMatch): string {
  return `The device "${name}" is not imported: no similar device exists here. The default device is used.`;
}

/** Names the sizes if they differ, because pages may look different. */
function deviceLine({ name, here, size, sizeHere }: DeviceMatch): string {
  const differs = size !== '' && size !== sizeHere;
  const [there, ours] = [name, here?.name ?? ''];
  return differs ? `device    ${there} (${size}) -> ${ours} (${sizeHere})` : `device    ${there} -> ${ours}`;
}

function siteLines({ sites, scheduled, reports: read }: SitesThere, reports: readonly SiteThere[]): string[] {
  const left = sites.length - reports.length;
  const pages = reports.reduce((sum, site) => sum + site.pages, 0);
  const checks = reports.reduce((sum, site) => sum + site.pages * creditsOfPage({ ...site.attributes }), 0);
  return [
    ...(reports.length === 0
      ? []
      : [
          `These sites had ${plural(pages, 'page')} in the other service. Checking them takes ${plural(checks, 'credit')} if credits are limited.`,
        ]),
    ...(scheduled === 0
      ? []
      : [
          `${plural(scheduled, 'site')} with reports ${scheduled === 1 ? 'has' : 'have'} a schedule, so no report is created.`,
        ]),
    ...(left === 0 ? [] : [`${plural(left, 'more site')} can be imported: run the command again.`]),
    ...(read === 0
      ? []
      : [
          `The results of ${plural(read, 'report')} stay in the other service. If it is sitewarden, save a report as a file with /reports/{id}/export.`,
        ]),
  ];
}
