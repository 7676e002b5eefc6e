import { useState } from 'react';
import type { FormAttributes } from '../../lib/report-form.ts';
import { MONTHDAY_MAX, nextRuns, type Periodicity, WEEKDAYS, type Weekday, weekdayName } from '../../lib/schedules.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import styles from './report-form.module.css';

const DAYS = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

const RHYTHMS = [
  ['day', 'every day'],
  ['week', 'every week'],
  ['month', 'every month'],
  ['deploy', 'only when its deploy hook is called'],
] as const;

/** What makes a run a bad one, in the words of the API and those of people. */
const BAD = [
  ['error', 'errors'],
  ['warning', 'errors or warnings'],
  ['critical', 'critical accessibility issues'],
  ['serious', 'serious ones or worse'],
  ['moderate', 'moderate ones or worse'],
  ['minor', 'any accessibility issue'],
  ['unchecked', 'pages that could not be checked'],
] as const;

const MONTHDAYS = Array.from({ length: MONTHDAY_MAX }, (_, index) => index + 1);

/** The fields that only schedules have: when they run, and which runs are bad. */
export function ScheduleFields({
  periodicity,
  failOn,
  errorOf,
}: {
  /** The values that the form begins with. */
  readonly periodicity: Periodicity;
  readonly failOn: readonly string[];
  readonly errorOf: (field: string) => string | undefined;
}) {
  const [every, setEvery] = useState<string>(periodicity?.every ?? 'deploy');
  const [weekday, setWeekday] = useState<Weekday>(periodicity?.weekday ?? 'monday');
  const [monthday, setMonthday] = useState(periodicity?.monthday ?? 1);
  const chosen = periodicityOf(every, weekday, monthday);
  const runs = nextRuns(chosen, new Date(), 0, 3).map((run) => DAYS.format(run));
  return (
    <>
      <Field
        label="When"
        name="periodicity"
        hint={
          chosen === null
            ? 'You get the address of the hook when the schedule is saved.'
            : `Next: ${runs.join(', ')}, at 00:00 UTC unless the operator has set another time. Its deploy hook works, too.`
        }
        error={errorOf('periodicity')}
      >
        {(control) => (
          <select value={every} onChange={(event) => setEvery(event.target.value)} {...control}>
            {RHYTHMS.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
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
        <Field label="Day of the month" name="monthday" hint={`1 to ${MONTHDAY_MAX}, which every month has.`}>
          {(control) => (
            <select value={monthday} onChange={(event) => setMonthday(Number(event.target.value))} {...control}>
              {MONTHDAYS.map((day) => (
                <option key={day}>{day}</option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      <fieldset className={styles.group}>
        <legend>A run fails if it finds</legend>
        {BAD.map(([value, title]) => (
          <CheckField key={value} label={title} name="fail_on" value={value} defaultChecked={failOn.includes(value)} />
        ))}
        {errorOf('fail_on') === undefined ? null : <p className={styles.error}>{errorOf('fail_on')}</p>}
      </fieldset>
    </>
  );
}

/** Reads the fields of `ScheduleFields`. */
export function scheduleIn(fields: FormData): FormAttributes {
  const every = String(fields.get('periodicity'));
  const failOn = fields.getAll('fail_on');
  return {
    periodicity: {
      every,
      ...(every === 'week' && { weekday: fields.get('weekday') }),
      ...(every === 'month' && { monthday: Number(fields.get('monthday')) }),
    },
    fail_on: failOn.length === 0 ? ['never'] : failOn,
  };
}

function periodicityOf(every: string, weekday: Weekday, monthday: number): Periodicity {
  return every === 'day' || every === 'week' || every === 'month' ? { every, weekday, monthday } : null;
}
