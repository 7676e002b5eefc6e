import { useState } from 'react';
import { nextRun, nextRuns, type Periodicity, SPREAD_MINUTES, spreadMinutes } from 'sitewarden-client/periodicity';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { runTime, type ShownTimes } from '../../lib/schedules.ts';
import { isKnownZone, ownTimeZone, timeZonesWith } from '../../lib/time-zones.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import type { ErrorOf } from '../use-form.tsx';
import styles from './report-form.module.css';

const shownRuns = 3;

/** When a schedule runs on its days, with a preview of the next runs. */
export function StartTimeFields({
  periodicity,
  initial,
  scheduleTime,
  errorOf,
}: {
  /** The days that are chosen now. */
  readonly periodicity: Periodicity;
  /** A schedule without an id is new. */
  readonly initial: Omit<ShownTimes, 'periodicity'>;
  /** The time of schedules without a time of day, in UTC: `00:00`. */
  readonly scheduleTime: string;
  readonly errorOf: ErrorOf;
}) {
  const [timeOfDay, setTimeOfDay] = useState(initial.time_of_day ?? '');
  // Without a time of day, the time zone is only a default.
  const [timeZone, setTimeZone] = useState(initial.time_of_day === null ? ownTimeZone() : initial.time_zone);
  const [spread, setSpread] = useState(initial.spread);
  const preview = previewOf({ periodicity, timeOfDay, timeZone, spread, id: initial.id }, scheduleTime, new Date());
  return (
    <>
      <Field
        label="Time"
        name="time_of_day"
        hint={`${timeOfDay === '' ? `If empty, runs start at ${scheduleTime} UTC. ` : ''}${preview}`}
        error={errorOf('time_of_day')}
      >
        {(control) => (
          <input
            type="time"
            className={styles.number}
            value={timeOfDay}
            onChange={({ target }) => setTimeOfDay(target.value)}
            {...control}
          />
        )}
      </Field>
      {timeOfDay === '' ? null : (
        <Field label="Time zone" name="time_zone" error={errorOf('time_zone')}>
          {(control) => (
            <select value={timeZone} onChange={({ target }) => setTimeZone(target.value)} {...control}>
              {timeZonesWith(timeZone).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <CheckField
        label="Spread the start over an hour"
        name="spread"
        checked={spread}
        onChange={({ target }) => setSpread(target.checked)}
        hint={`Starts up to ${SPREAD_MINUTES - 1} minutes later, always by the same number of minutes, so that schedules with the same time don't start together.`}
      />
    </>
  );
}

/** Reads the fields of `StartTimeFields`. Without a time of day, the time zone stays as it is. */
export function startTimeIn(fields: FormData): FormAttributes {
  const timeOfDay = fields.get('time_of_day');
  return {
    ...(timeOfDay ? { time_of_day: timeOfDay, time_zone: fields.get('time_zone') } : { time_of_day: null }),
    spread: fields.has('spread'),
  };
}

interface Entered {
  readonly periodicity: Periodicity;
  /** Empty for the installation's default time. */
  readonly timeOfDay: string;
  readonly timeZone: string;
  readonly spread: boolean;
  readonly id: string | null;
}

/** Returns the next runs in words; nothing if the browser does not know the time zone. */
function previewOf({ periodicity, timeOfDay, timeZone, spread, id }: Entered, scheduleTime: string, now: Date): string {
  if (!isKnownZone(timeZone)) return '';
  const isOwn = timeOfDay !== '';
  const times = {
    ...{ periodicity, timeOfDay: isOwn ? timeOfDay : scheduleTime, timeZone: isOwn ? timeZone : 'UTC' },
    delayMinutes: spread && id !== null ? spreadMinutes(id) : 0,
  };
  const runs = nextRuns(times, nextRun(times, now), shownRuns).map((run) =>
    runTime(run, isOwn ? timeZone : ownTimeZone()),
  );
  const where = isOwn && timeZone !== ownTimeZone() ? ` in ${timeZone}` : ' in your time zone';
  const when = spread && id === null ? ', each up to an hour later' : '';
  return `Next runs${where}${when}: ${runs.join('; ')}.`;
}
