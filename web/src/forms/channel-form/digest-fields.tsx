import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { HOURS, ownTimeZone, timeZonesWith } from '../../lib/notifications.ts';
import { Field } from '../../parts/field.tsx';
import type { ErrorOf } from '../use-form.tsx';

/** The hour of the first digest that somebody asks for. */
const hourDefault = 7;

/** Whether a channel is told everything at once, or once a day, and when. */
export function DigestFields({
  channel,
  errorOf,
}: {
  /** Null for a new one. */
  readonly channel: Item<'notification_channel'> | null;
  readonly errorOf: ErrorOf;
}) {
  const [digest, setDigest] = useState<string>(channel?.digest ?? 'none');
  // A channel without a digest has a time zone that nobody has chosen.
  const isDigest = channel?.digest === 'daily';
  const zone = isDigest ? channel.time_zone : ownTimeZone();
  return (
    <>
      <Field label="Send" name="digest" error={errorOf('digest')}>
        {(control) => (
          <select value={digest} onChange={({ target }) => setDigest(target.value)} {...control}>
            <option value="none">each message at once</option>
            <option value="daily">one message a day</option>
          </select>
        )}
      </Field>
      {digest === 'daily' ? (
        <>
          <Field
            label="Hour"
            name="digest_hour"
            hint="Nothing is sent on days on which nothing has happened."
            error={errorOf('digest_hour')}
          >
            {(control) => (
              <select defaultValue={isDigest ? channel.digest_hour : hourDefault} {...control}>
                {HOURS.map((title, hour) => (
                  <option key={title} value={hour}>
                    {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Time zone" name="time_zone" error={errorOf('time_zone')}>
            {(control) => (
              <select defaultValue={zone} {...control}>
                {timeZonesWith(zone).map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
        </>
      ) : null}
    </>
  );
}
