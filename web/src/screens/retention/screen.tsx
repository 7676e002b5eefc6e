import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { previewRules, type Rules, saveRules } from '../../api/changes/retention.ts';
import type { Item } from '../../api/client.ts';
import { retentionQuery } from '../../api/queries/retention.ts';
import { allSchedulesQuery } from '../../api/queries/schedules.ts';
import { dateTime, plural, reasonOf } from '../../lib/formats.ts';
import { size } from '../../lib/sizes.ts';
import { QueryView } from '../../live/query-view.tsx';
import { useUnsaved } from '../../live/use-unsaved.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';
import { reportName } from '../../report/site-state.ts';
import { AccountHead } from '../../shell/account-head.tsx';
import styles from './screen.module.css';

type Rule = Rules[number];
type Preview = Item<'retention_preview'>;

/** What a rule can keep, by the names of its fields. */
const KEEPS = [
  ['keep_last', 'Keep the newest reports: how many'],
  ['keep_days', 'Keep all reports: number of days'],
  ['keep_weekly', 'Keep one per week: number of weeks'],
  ['keep_monthly', 'Keep one report per month: for how many months'],
  ['keep_yearly', 'Keep one per year: number of years'],
] as const;

/** Which reports of the account are kept, with a preview of what would be deleted. */
export function RetentionScreen() {
  const retention = useQuery(retentionQuery);
  return (
    <>
      <AccountHead />
      <p>
        Reports that no rule applies to are kept. Others are deleted within an hour if none of their rules keeps them.
        Reports that are shared or running, or that have the tag <strong>baseline</strong>, are always kept, and so are
        the newest report and the newest complete report of each site, and reports that are needed to show what got
        worse on a site.
      </p>
      <QueryView query={retention}>{({ rules }) => <Editor saved={rules} />}</QueryView>
    </>
  );
}

function Editor({ saved }: { readonly saved: Rules }) {
  const [edited, setRules] = useState<Rules | null>(null);
  const [preview, setPreview] = useState<{ readonly of: string; readonly result: Preview } | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isAdded = useRef(false);
  const queries = useQueryClient();
  const say = useToast();
  const rules = edited ?? saved;
  const draft = JSON.stringify(rules);
  useUnsaved(draft !== JSON.stringify(saved));
  const isPreviewed = preview?.of === draft;
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
      setRefusal(null);
    } catch (error) {
      setRefusal(withLabels(reasonOf(error)));
    } finally {
      setBusy(false);
    }
  };
  const show = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await run(async () => setPreview({ of: draft, result: await previewRules(rules) }));
  };
  const save = () =>
    run(async () => {
      queries.setQueryData(retentionQuery.queryKey, await saveRules(rules));
      setRules(null);
      say('Rules saved.');
    });
  const add = (): void => {
    isAdded.current = true;
    setRules([...rules, { keep_last: 12 }]);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new rule gets the focus once it is rendered.
  useEffect(() => {
    if (isAdded.current) form.current?.querySelector<HTMLElement>('fieldset:last-of-type select')?.focus();
    isAdded.current = false;
  }, [rules.length]);
  const setRule = (at: number, rule: Rule): void => setRules(rules.map((old, index) => (index === at ? rule : old)));
  return (
    <form ref={form} onSubmit={(event) => void show(event)} noValidate>
      {rules.map((rule, index) => (
        <RuleFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other identity.
          key={index}
          number={index + 1}
          rule={rule}
          onChange={(changed) => setRule(index, changed)}
          onRemove={() => setRules(rules.filter((_, at) => at !== index))}
        />
      ))}
      <p className={styles.actions}>
        <Button onClick={add}>Add a rule</Button>
        <Button type="submit" {...(!isPreviewed && { look: 'main' as const })} isBusy={isBusy}>
          Preview
        </Button>
        {isPreviewed ? (
          <Button look="main" isBusy={isBusy} onClick={() => void save()}>
            Save rules
          </Button>
        ) : draft === JSON.stringify(saved) ? null : (
          <span className="soft">To save the rules, first preview what they delete.</span>
        )}
      </p>
      {refusal === null ? null : <ErrorNote title="These rules cannot be saved" detail={refusal} />}
      <div aria-live="polite">{isPreviewed ? <Result preview={preview.result} /> : null}</div>
    </form>
  );
}

function RuleFields({
  number,
  rule,
  onChange,
  onRemove,
}: {
  readonly number: number;
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
}) {
  const { data: schedules = [], isSuccess } = useQuery(allSchedulesQuery);
  const { tag, schedule_id: schedule, ...keeps } = rule;
  const scope = tag !== undefined ? 'tag' : schedule !== undefined ? 'schedule' : 'all';
  const choose = (chosen: string): void => {
    const first = schedules[0]?.id;
    onChange({
      ...keeps,
      ...(chosen === 'tag' && { tag: '' }),
      ...(chosen === 'schedule' && first !== undefined && { schedule_id: first }),
    });
  };
  return (
    <fieldset className={styles.rule}>
      <legend>Rule {number}</legend>
      <Field label="Reports" name={`scope-${number}`}>
        {(control) => (
          <select {...control} value={scope} onChange={(event) => choose(event.target.value)}>
            <option value="all">all that no other rule covers</option>
            <option value="tag">with a tag</option>
            {schedules.length === 0 && schedule === undefined ? null : <option value="schedule">of a schedule</option>}
          </select>
        )}
      </Field>
      {tag === undefined ? null : (
        <Field label="Tag" name={`tag-${number}`}>
          {(control) => (
            <input
              type="text"
              autoComplete="off"
              {...control}
              value={tag}
              onChange={(event) => onChange({ ...rule, tag: event.target.value })}
            />
          )}
        </Field>
      )}
      {schedule === undefined ? null : (
        <Field label="Schedule" name={`schedule-${number}`}>
          {(control) => (
            <select
              {...control}
              value={schedule}
              onChange={(event) => onChange({ ...rule, schedule_id: event.target.value })}
            >
              {isSuccess && !schedules.some(({ id }) => id === schedule) ? (
                <option value={schedule}>a deleted schedule</option>
              ) : null}
              {schedules.map((known) => (
                <option key={known.id} value={known.id}>
                  {reportName(known)} ({known.starting_url})
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {KEEPS.map(([name, label]) => (
        <Field key={name} label={label} name={`${name}-${number}`}>
          {(control) => (
            <input
              type="number"
              min={1}
              {...control}
              value={rule[name] ?? ''}
              onChange={(event) => onChange(withNumber(rule, name, event.target.value))}
            />
          )}
        </Field>
      ))}
      <Button aria-label={`Remove rule ${number}`} onClick={onRemove}>
        Remove
      </Button>
    </fieldset>
  );
}

/** Returns a refusal with the labels of fields instead of their names. */
function withLabels(refusal: string): string {
  return KEEPS.reduce(
    (text, [name, label]) => text.replaceAll(name.replaceAll('_', ' '), name).replaceAll(name, `“${label}”`),
    refusal,
  );
}

/** Returns a rule with a number, or without it if the text is empty. */
function withNumber(rule: Rule, name: (typeof KEEPS)[number][0], text: string): Rule {
  const { [name]: _, ...others } = rule;
  return text === '' ? others : { ...others, [name]: Number(text) };
}

function Result({ preview }: { readonly preview: Preview }) {
  const { num_reports: reports, bytes, bytes_at_most: isAtMost, deleted, disk } = preview;
  if (reports === 0) return <p>These rules would delete nothing now.</p>;
  return (
    <Section title={`Would delete ${plural(reports, 'report')}, ${isAtMost ? 'at most ' : ''}${size(bytes)}`}>
      <p>{disk}</p>
      <ul>
        {deleted.map(({ report_id: id, inserted_at: time, ...report }) => (
          <li key={id}>
            <Link to={`/reports/${id}`}>{reportName(report)}</Link>, {dateTime(time)}
          </li>
        ))}
        {reports > deleted.length ? (
          <li>and {plural(reports - deleted.length, 'more report', 'more reports')}</li>
        ) : null}
      </ul>
    </Section>
  );
}
