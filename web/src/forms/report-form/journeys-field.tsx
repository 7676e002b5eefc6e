import { useId, useRef, useState } from 'react';
import { ApiError } from 'sitewarden-client/errors';
import { freeJourneyName } from 'sitewarden-client/recorded-steps';
import type { Item } from '../../api/client.ts';
import { reasonOf } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { useToast } from '../../parts/toast.tsx';
import { importMessage } from '../steps/import-message.ts';
import { ImportSteps, StepList } from '../steps/step-list.tsx';
import {
  type ImportedRows,
  JOURNEY_ACTIONS,
  type Journey,
  newRow,
  type Row,
  rowsOf,
  stepsOf,
} from '../steps/step-rows.ts';
import styles from '../steps/steps.module.css';
import { TriedSteps } from '../steps/tried-steps.tsx';

/** Tries a journey of a site. */
export type TryJourney = (journey: object) => Promise<Item<'journey_test'>>;

interface EditedJourney {
  readonly id: number;
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Edits journeys. The form gets them as JSON. */
export function JourneysField({
  initial,
  startingUrl,
  error,
  onEdit,
  tryJourney,
}: {
  readonly initial: unknown;
  readonly startingUrl: string;
  readonly error: string | undefined;
  /** Called after each change. */
  readonly onEdit: () => void;
  /** Absent if there is no site yet. */
  readonly tryJourney?: TryJourney | undefined;
}) {
  const say = useToast();
  const id = useId();
  const ids = useRef(0);
  const created = (name: string, rows: readonly Row[]): EditedJourney => {
    ids.current += 1;
    return { id: ids.current, name, rows };
  };
  const [journeys, setJourneys] = useState<readonly EditedJourney[]>(() =>
    storedIn(initial).map(({ name, steps }) => created(name, rowsOf(steps))),
  );
  const edit = (edited: readonly EditedJourney[]): void => {
    setJourneys(edited);
    // The form reads the hidden field once it is rendered.
    requestAnimationFrame(onEdit);
  };
  const change = (changed: EditedJourney): void =>
    edit(journeys.map((journey) => (journey.id === changed.id ? changed : journey)));
  const importRows = (read: readonly ImportedRows[]): void => {
    say(importMessage(read));
    const names = new Set(journeys.map(({ name }) => name));
    const added = read.map(({ title, rows }) => {
      const name = freeJourneyName(title, names);
      names.add(name);
      return created(name, [...rows, { ...newRow('check'), target: 'Last page' }]);
    });
    edit([...journeys, ...added]);
  };
  return (
    <fieldset
      className={styles.journeys}
      aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
    >
      <legend>Journeys</legend>
      <p id={`${id}-hint`} className={styles.hint}>
        Steps through the site, such as opening a menu or filling a cart. At each mark, the page is checked in its
        current state.
      </p>
      <input type="hidden" name="journeys" value={JSON.stringify(journeys.map(journeyOf))} />
      {error === undefined ? null : (
        <p id={`${id}-error`} className={styles.fault}>
          {error}
        </p>
      )}
      {journeys.map((journey) => (
        <JourneyFields
          key={journey.id}
          journey={journey}
          change={change}
          remove={() => edit(journeys.filter((other) => other.id !== journey.id))}
          tryJourney={tryJourney}
        />
      ))}
      <div>
        <Button
          onClick={() =>
            edit([...journeys, created('', [{ ...newRow('open'), target: '/' }, newRow('click'), newRow('check')])])
          }
        >
          Add a journey
        </Button>
      </div>
      <ImportSteps startingUrl={startingUrl} onRead={importRows} />
    </fieldset>
  );
}

function storedIn(initial: unknown): readonly Journey[] {
  // The API has checked it.
  return Array.isArray(initial) ? (initial as readonly Journey[]) : [];
}

function journeyOf({ name, rows }: EditedJourney): object {
  return { name, steps: stepsOf(rows) };
}

function JourneyFields({
  journey,
  change,
  remove,
  tryJourney,
}: {
  readonly journey: EditedJourney;
  readonly change: (journey: EditedJourney) => void;
  readonly remove: () => void;
  readonly tryJourney?: TryJourney | undefined;
}) {
  const { name, rows } = journey;
  const title = name === '' ? 'New journey' : name;
  return (
    <fieldset className={styles.journey}>
      <legend>{title}</legend>
      <label>
        Name of the journey{' '}
        <input
          className={styles.target}
          autoComplete="off"
          value={name}
          onChange={({ target: { value } }) => change({ ...journey, name: value })}
        />
      </label>
      <StepList
        rows={rows}
        actions={JOURNEY_ACTIONS}
        prefix={`${title}, `}
        setRows={(changed) => change({ ...journey, rows: changed })}
      />
      {tryJourney === undefined ? (
        <p className={styles.hint}>To try the journey, save it as part of a site.</p>
      ) : (
        <TryButton title={title} journey={journey} tryJourney={tryJourney} />
      )}
      <div>
        <Button look="quiet" onClick={remove}>
          Remove journey<span className="visually-hidden"> {title}</span>
        </Button>
      </div>
    </fieldset>
  );
}

/** The result of the last try. */
interface Tried {
  /** The steps that were tried, as JSON. */
  readonly steps: string;
  /** Null if they were refused. */
  readonly test: Item<'journey_test'> | null;
  readonly faults: readonly string[];
}

const NOT_TRIED: Tried = { steps: '', test: null, faults: [] };

/** Tries the journey with its unsaved edits. */
function TryButton({
  title,
  journey,
  tryJourney,
}: {
  readonly title: string;
  readonly journey: EditedJourney;
  readonly tryJourney: TryJourney;
}) {
  const [isBusy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried>(NOT_TRIED);
  const steps = JSON.stringify(stepsOf(journey.rows));
  const isOutdated = tried.steps !== steps;
  const run = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      setTried({ steps, test: await tryJourney(journeyOf(journey)), faults: [] });
    } catch (error) {
      const faults = error instanceof ApiError ? error.items.map(({ detail }) => detail) : [reasonOf(error)];
      setTried({ steps, test: null, faults });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div>
        <Button isBusy={isBusy} onClick={() => void run()}>
          Try it<span className="visually-hidden"> with {title}</span>
        </Button>
      </div>
      <div role="status">
        {isBusy ? <p>This can take up to four minutes …</p> : null}
        {(isBusy || isOutdated ? [] : tried.faults).map((fault) => (
          <p key={fault} className={styles.fault}>
            {fault}
          </p>
        ))}
        {tried.test === null || isBusy ? null : <TriedSteps test={tried.test} what="journey" isOutdated={isOutdated} />}
      </div>
    </>
  );
}
