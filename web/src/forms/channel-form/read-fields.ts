import type { New } from 'sitewarden-client';
import { ApiError } from 'sitewarden-client/errors';

/** The attributes that the form of a notification channel sets. Attributes without a field are absent and keep their values. */
export type ChannelSettings = Partial<New<'notification_channel'>>;

/**
 * Reads the fields of `ChannelForm`.
 * @throws ApiError if it is limited to some schedules but none is chosen: the API would notify it about all of them
 */
export function settingsIn(fields: FormData): ChannelSettings {
  const text = (name: string): string => String(fields.get(name)).trim();
  const words = (name: string): string[] => fields.getAll(name).map(String);
  const scheduleIds = words('schedule_ids');
  const about = fields.get('about');
  if (about === 'some' && scheduleIds.length === 0) throw noSchedule();
  const isTold = words('events').includes('schedule.got_worse');
  return {
    name: text('name'),
    events: words('events'),
    ...(fields.has('kind') && { kind: text('kind') as New<'notification_channel'>['kind'] }),
    ...(fields.has('webhook_url') && { webhook_url: text('webhook_url') }),
    ...(fields.has('email') && { email: text('email') }),
    ...(isTold && { worse_when: words('worse_when') }),
    ...(about !== null && { schedule_ids: about === 'some' ? scheduleIds : [] }),
    ...digestIn(fields),
  };
}

function digestIn(fields: FormData): ChannelSettings {
  if (fields.get('digest') !== 'daily') return { digest: 'none' };
  return {
    digest: 'daily',
    digest_hour: Number(fields.get('digest_hour')),
    time_zone: String(fields.get('time_zone')),
  };
}

function noSchedule(): ApiError {
  const detail = 'Choose at least one schedule, or “all reports and schedules”.';
  return new ApiError(422, [{ code: 'invalid', detail, field: 'schedule_ids', id: null }]);
}
