import { queryOptions } from '@tanstack/react-query';
import { type Item, readList } from '../client.ts';

/** More than the service has: some 150. */
const pagesMax = 5;

/** All devices as which pages can be checked, by name. They change only with an update of the service. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: ({ signal }) => readDevices(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

async function readDevices(signal: AbortSignal): Promise<readonly Item<'device'>[]> {
  const devices: Item<'device'>[] = [];
  for (let number = 1; number <= pagesMax; number += 1) {
    const page = await readList<'device'>('/devices', { query: { 'page[number]': number, 'page[size]': 100 }, signal });
    devices.push(...page.items);
    if (number >= page.pages) break;
  }
  return devices;
}
