import { type ComponentProps, useEffect, useId, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { MENU_ITEM, Menu } from '../../parts/menu.tsx';
import { type Action, type ImportedRows, importedRows, newRow, type Row, SOURCES, type Test } from './step-rows.ts';
import styles from './steps.module.css';

export const ACTION_TITLES = {
  open: 'Open the URL',
  fill: 'Fill the field',
  click: 'Click the element',
  press: 'Press the key',
  select: 'Select in the list',
  wait_for: 'Wait for',
  expect: 'Expect',
  check: 'Check the page as',
} as const;
const SOURCE_TITLES = { value: 'the text', secret: 'the secret', totp: 'a one-time password (TOTP key)' } as const;

interface Props {
  readonly rows: readonly Row[];
  readonly actions: readonly Action[];
  /** The prefix of field names, such as `Checkout, `, if there are several lists on a screen. */
  readonly prefix?: string;
  readonly setRows: (rows: readonly Row[]) => void;
}

/** Edits the steps of a login or a journey. */
export function StepList({ rows, actions, prefix = '', setRows }: Props) {
  const change = (id: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = (index: number, row: Row): void => setRows(rows.toSpliced(index, 0, row));
  const list = useRef<HTMLOListElement>(null);
  const toFocus = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: moved and new rows get the focus once they are rendered.
  useEffect(() => {
    if (toFocus.current === '') return;
    list.current?.querySelector<HTMLElement>(toFocus.current)?.focus();
    toFocus.current = '';
  }, [rows]);
  const insert = (index: number): void => {
    const row = newRow('click');
    toFocus.current = `[data-row="${row.id}"] select`;
    add(index, row);
  };
  const move = (from: number, to: number): void => {
    const row = rows[from];
    if (row === undefined) return;
    toFocus.current = `[data-row="${row.id}"] [popovertarget]`;
    setRows(rows.toSpliced(from, 1).toSpliced(to, 0, row));
  };
  const remove = (index: number): void => {
    const neighbor = rows[index + 1] ?? rows[index - 1];
    if (neighbor !== undefined) toFocus.current = `[data-row="${neighbor.id}"] [popovertarget]`;
    setRows(rows.toSpliced(index, 1));
  };
  return (
    <>
      <ol ref={list} className={styles.steps}>
        {rows.map((row, index) => (
          <li key={row.id} data-row={row.id}>
            <StepFields
              row={row}
              actions={actions}
              name={`${prefix}Step ${index + 1}`}
              change={(part) => change(row.id, part)}
            />
            <div className={styles.rowActions}>
              <StepMenu
                title={`${prefix}step ${index + 1}`}
                at={index}
                last={rows.length - 1}
                insert={insert}
                move={move}
              />
              <Button look="quiet" onClick={() => remove(index)}>
                Remove
                <span className="visually-hidden">
                  {' '}
                  {prefix}step {index + 1}
                </span>
              </Button>
            </div>
          </li>
        ))}
      </ol>
      <div className={styles.actions}>
        <Button onClick={() => add(rows.length, newRow(rows.length === 0 ? 'open' : 'click'))}>Add a step</Button>
        {actions.includes('check') ? (
          <Button onClick={() => add(rows.length, newRow('check'))}>Add a mark</Button>
        ) : null}
      </div>
    </>
  );
}

interface StepMenuProps {
  readonly title: string;
  /** The index of the step, and of the last one. */
  readonly at: number;
  readonly last: number;
  readonly insert: (index: number) => void;
  readonly move: (from: number, to: number) => void;
}

function StepMenu({ title, at, last, insert, move }: StepMenuProps) {
  const actions = [
    ...(at === 0 ? [] : [{ name: 'Move up', run: () => move(at, at - 1) }]),
    ...(at === last ? [] : [{ name: 'Move down', run: () => move(at, at + 1) }]),
    { name: 'Insert step above', run: () => insert(at) },
    { name: 'Insert step below', run: () => insert(at + 1) },
  ];
  return (
    <Menu
      label={
        <>
          More<span className="visually-hidden"> for {title}</span>
        </>
      }
    >
      {actions.map(({ name, run }) => (
        <button key={name} {...MENU_ITEM} type="button" onClick={run}>
          {name}
        </button>
      ))}
    </Menu>
  );
}

/** Imports steps from a file. */
export function ImportSteps({
  startingUrl = '',
  onRead,
}: {
  /** The site whose URLs become paths. Absent for logins, which open whole URLs. */
  readonly startingUrl?: string;
  /** Receives the lists of steps in the file. */
  readonly onRead: (read: readonly ImportedRows[]) => void;
}) {
  const id = useId();
  const read = async ({ target }: React.ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    const text = file.size > fileMaxBytes ? '' : await file.text();
    target.value = '';
    onRead(importedRows(text, file.name, { isUsable, origin: webOrigin(startingUrl) }));
  };
  return (
    <div className={styles.file}>
      <label htmlFor={id}>Import a recording (JSON from Chrome's Recorder, or pa11y actions)</label>
      <input id={id} type="file" accept=".json,.pa11yci,application/json" onChange={(event) => void read(event)} />
    </div>
  );
}

/** Returns the origin of a web address. The text may still be incomplete: `example.com:8080` has the scheme `example.com`. */
function webOrigin(url: string | undefined): string | undefined {
  const { protocol, origin } = URL.parse(url ?? '') ?? {};
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}

const fileMaxBytes = 1_000_000;

function isUsable(selector: string): boolean {
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false;
  }
}

interface StepProps {
  readonly row: Row;
  readonly actions: readonly Action[];
  readonly name: string;
  readonly change: (part: Partial<Row>) => void;
}

/** The targets that are not selectors, by action: what they are, and a placeholder. */
const TARGETS: Partial<Record<Action, readonly [what: string, placeholder: string]>> = {
  open: ['URL', 'https://…'],
  press: ['key', 'Enter'],
  check: ['name of the mark', 'Filled cart'],
};

function StepFields({ row, actions, name, change }: StepProps) {
  const { action, target, test } = row;
  const hasTest = action === 'wait_for' || action === 'expect';
  const [what, placeholder] = TARGETS[action] ?? ['selector', '#id'];
  return (
    <>
      <select
        aria-label={`${name}: action`}
        value={action}
        onChange={({ target: { value } }) =>
          change({ action: actions.find((known) => known === value) ?? action, isStored: false })
        }
      >
        {actions.map((known) => (
          <option key={known} value={known}>
            {ACTION_TITLES[known]}
          </option>
        ))}
      </select>
      {hasTest ? (
        <TestFields test={test} title={name} change={(changed) => change({ test: changed })} />
      ) : (
        <StepInput
          step={name}
          what={what}
          isNamed={TARGETS[action] !== undefined}
          placeholder={action === 'open' && actions.includes('check') ? '/cart or https://…' : placeholder}
          className={styles.target}
          value={target}
          onChange={({ target: { value: text } }) => change({ target: text })}
        />
      )}
      {action === 'fill' ? <SourceField row={row} name={name} change={change} /> : null}
      {action === 'fill' || action === 'select' ? <ValueField row={row} name={name} change={change} /> : null}
    </>
  );
}

/** A field of a step with its label. */
function StepInput({
  step,
  what,
  isNamed = false,
  ...input
}: Omit<ComponentProps<'input'>, 'step'> & {
  /** The name of the step, which is not visible. */
  readonly step: string;
  readonly what: string;
  /** Whether the control before the field already shows what the field is. Default: false. */
  readonly isNamed?: boolean;
}) {
  const id = useId();
  return (
    <span className={styles.part}>
      <label htmlFor={id} className={isNamed ? 'visually-hidden' : undefined}>
        <span className="visually-hidden">{step}: </span>
        {what}
      </label>
      <input id={id} spellCheck={false} {...input} />
    </span>
  );
}

function SourceField({ row: { source }, name, change }: Omit<StepProps, 'actions'>) {
  return (
    <select
      aria-label={`${name}: kind of value`}
      value={source}
      onChange={({ target: { value } }) =>
        change({ source: SOURCES.find((known) => known === value) ?? source, value: '', isStored: false })
      }
    >
      {SOURCES.map((known) => (
        <option key={known} value={known}>
          with {SOURCE_TITLES[known]}
        </option>
      ))}
    </select>
  );
}

function ValueField({ row: { action, source, value, isStored }, name, change }: Omit<StepProps, 'actions'>) {
  const isFill = action === 'fill';
  const isSecret = isFill && source !== 'value';
  return (
    <StepInput
      step={name}
      what={isSecret ? 'secret' : isFill ? 'value' : 'option'}
      isNamed={isFill}
      type={isSecret ? 'password' : 'text'}
      autoComplete="new-password"
      placeholder={isStored ? 'stored; leave empty to keep it' : undefined}
      value={value}
      onChange={({ target: { value: text } }) => change({ value: text })}
    />
  );
}

const TEST_TITLES = { url: 'URL contains', selector: 'selector', text: 'text' } as const;

/** Edits what must be true of a page. */
export function TestFields({
  test,
  title,
  change,
}: {
  readonly test: Test;
  readonly title: string;
  readonly change: (test: Test) => void;
}) {
  return (['url', 'selector', 'text'] as const).map((name) => (
    <StepInput
      key={name}
      step={title}
      what={TEST_TITLES[name]}
      value={test[name]}
      onChange={({ target: { value } }) => change({ ...test, [name]: value })}
    />
  ));
}
