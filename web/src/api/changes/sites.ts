import type { New } from 'sitewarden-client';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Creates a site. Nothing is checked yet.
 * @param attributes the attributes of `POST /sites`, which the service validates
 * @param key prevents a second site if the request is repeated because the response was lost
 */
export function createSite(attributes: object, key?: string): Promise<Item<'site'>> {
  return create<'site'>('/sites', attributes as New<'site'>, key);
}

/** Changes some attributes of a site. Its reports keep their settings. */
export function changeSite(id: string, attributes: object): Promise<Item<'site'>> {
  return change<'site'>(`/sites/${id}`, attributes);
}

/** Tries a login of a site, without storing it. True stands for stored secrets. */
export function tryLogin(id: string, login: object): Promise<Item<'login_test'>> {
  const attributes: object = { login };
  return create<'login_test'>(`/sites/${id}/login_tests`, attributes as New<'login_test'>);
}

/** Tries a journey of a site, or of one of its schedules, without storing it. True stands for stored secrets. */
export function tryJourney(id: string, journey: object, schedule?: string): Promise<Item<'journey_test'>> {
  const attributes: object = { journey, ...(schedule !== undefined && { schedule_id: schedule }) };
  return create<'journey_test'>(`/sites/${id}/journey_tests`, attributes as New<'journey_test'>);
}

/** Deletes a site with its reports and schedules. */
export function deleteSite(id: string): Promise<void> {
  return remove(`/sites/${id}`);
}

/** Starts a report with the settings and credentials of a site. */
export function runSite(id: string): Promise<Item<'report'>> {
  return create<'report'>(`/sites/${id}/runs`);
}

/** Moves the reports and schedules of a site to another site, and removes it. Returns the other site. */
export function mergeSite(id: string, into: string): Promise<Item<'site'>> {
  // The type of the request follows from the type of the response, which is a site.
  const attributes: object = { into };
  return create<'site'>(`/sites/${id}/merge`, attributes as New<'site'>);
}
