import { useState } from 'react';
import { FAILING_CHOICES, widestIssues } from 'sitewarden-client/fail-on';
import { MONTHDAY_MAX, type Periodicity, WEEKDAYS, type Weekday } from 'sitewarden-client/periodicity';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { type ShownTimes, weekdayName } from '../../lib/schedules.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import { Options } from '../../parts/options.tsx';
import type { ErrorOf } from '../use-form.tsx';
import { StartTimeFields, startTimeIn } from './start-time-fields.tsx';

const RHYTHMS = [
  ['day', 'every day'],
  ['week', 'every week'],
  ['month', 'every month'],
  ['deploy', 'only by its deploy hook'],
] as const;

const MONTHDAYS = Array.from({ length: MONTHDAY_MAX }, (_, index) => index + 1);

/** The fields that only schedules have: when they run, and which issues make a run fail. */
export function ScheduleFields({
  times,
  failOn,
  scheduleTime,
  errorOf,
}: {
  /** The initial values. */
  readonly times: ShownTimes;
  readonly failOn: readonly string[];
  /** The time of schedules without a time of day, in UTC: `00:00`. */
  readonly scheduleTime: string;
  readonly errorOf: ErrorOf;
}) {
  const { periodicity } = times;
  const [every, setEvery] = useState<string>(periodicity?.every ?? 'deploy');
  const [weekday, setWeekday] = useState<Weekday>(periodicity?.weekday ?? 'monday');
  const [monthday, setMonthday] = useState(periodicity?.monthday ?? 1);
  const chosen = periodicityOf(every, weekday, monthday);
  return (
    <>
      <Field
        label="When"
        name="periodicity"
        hint={
          chosen === null
            ? 'The URL of the hook is shown after you save the schedule.'
            : 'The deploy hook also starts runs.'
        }
        error={errorOf('periodicity')}
      >
        {(control) => (
          <select value={every} onChange={(event) => setEvery(event.target.value)} {...control}>
            <Options of={RHYTHMS} />
          </select>
        )}
      </Field>
      {every === 'week' ? (
        <Field label="Day of the week" name="weekday">
          {(control) => (
            <select
              value={weekday}
              onChange={(event) => setWeekday(WEEKDAYS.find((day) => day === event.target.value) ?? 'monday')}
              {...control}
            >
              {WEEKDAYS.map((day) => (
                <option key={day} value={day}>
                  {weekdayName(day)}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      {every === 'month' ? (
        <Field
          label="Day of the month"
          name="monthday"
          hint={`1 to ${MONTHDAY_MAX}, because every month has these days.`}
        >
          {(control) => (
            <select value={monthday} onChange={(event) => setMonthday(Number(event.target.value))} {...control}>
              {MONTHDAYS.map((day) => (
                <option key={day}>{day}</option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      {chosen === null ? null : (
        <StartTimeFields periodicity={chosen} initial={times} scheduleTime={scheduleTime} errorOf={errorOf} />
      )}
      <Field label="A run fails if it finds" name="fail_on" error={errorOf('fail_on')}>
        {(control) => (
          <select defaultValue={widestIssues(failOn)} {...control}>
            <Options of={FAILING_CHOICES.toReversed()} />
            <option value="">nothing: runs never fail because of issues</option>
          </select>
        )}
      </Field>
      <CheckField
        label="A run also fails if pages could not be checked"
        name="fail_on"
        value="unchecked"
        defaultChecked={failOn.includes('unchecked')}
      />
    </>
  );
}

/** Reads the fields of `ScheduleFields`. */
export function scheduleIn(fields: FormData): FormAttributes {
  const every = String(fields.get('periodicity'));
  const failOn = fields.getAll('fail_on').filter((name) => name !== '');
  return {
    periodicity: {
      every,
      ...(every === 'week' && { weekday: fields.get('weekday') }),
      ...(every === 'month' && { monthday: Number(fields.get('monthday')) }),
    },
    ...(every !== 'deploy' && startTimeIn(fields)),
    fail_on: failOn.length === 0 ? ['never'] : failOn,
  };
}

function periodicityOf(every: string, weekday: Weekday, monthday: number): Periodicity | null {
  if (every === 'week') return { every, weekday };
  if (every === 'month') return { every, monthday };
  return every === 'day' ? { every } : null;
}
