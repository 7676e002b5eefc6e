import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { HOURS } from '../../lib/notifications.ts';
import { ownTimeZone, timeZonesWith } from '../../lib/time-zones.ts';
import { Field } from '../../parts/field.tsx';
import type { ErrorOf } from '../use-form.tsx';

/** The default hour of digests. */
const hourDefault = 7;

/** Whether a channel gets each message at once or a daily digest, and when. */
export function DigestFields({
  channel,
  errorOf,
}: {
  /** Null for a new channel. */
  readonly channel: Item<'notification_channel'> | null;
  readonly errorOf: ErrorOf;
}) {
  const [digest, setDigest] = useState<string>(channel?.digest ?? 'none');
  // The time zone of a channel without a digest is only a default.
  const isDigest = channel?.digest === 'daily';
  const zone = isDigest ? channel.time_zone : ownTimeZone();
  return (
    <>
      <Field label="Send" name="digest" error={errorOf('digest')}>
        {(control) => (
          <select value={digest} onChange={({ target }) => setDigest(target.value)} {...control}>
            <option value="none">each message immediately</option>
            <option value="daily">one message per day</option>
          </select>
        )}
      </Field>
      {digest === 'daily' ? (
        <>
          <Field
            label="Hour"
            name="digest_hour"
            hint="No message is sent on days without events."
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
