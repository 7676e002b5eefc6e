import { useId } from 'react';
import { Button } from '../../parts/button.tsx';
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
  check: 'Check the page as the mark',
} as const;
const SOURCE_TITLES = { value: 'the text', secret: 'the secret', totp: 'a one-time password (TOTP key)' } as const;

interface Props {
  readonly rows: readonly Row[];
  readonly actions: readonly Action[];
  /** Before the names of fields, such as `Checkout, `, if there are several lists on a screen. */
  readonly prefix?: string;
  readonly setRows: (rows: readonly Row[]) => void;
}

/** Edits the steps of a login or a journey. */
export function StepList({ rows, actions, prefix = '', setRows }: Props) {
  const change = (id: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = (index: number, row: Row): void => setRows(rows.toSpliced(index, 0, row));
  return (
    <>
      <ol className={styles.steps}>
        {rows.map((row, index) => (
          <li key={row.id}>
            <StepFields
              row={row}
              actions={actions}
              name={`${prefix}Step ${index + 1}`}
              change={(part) => change(row.id, part)}
            />
            <span className={styles.rowActions}>
              {index === 0 ? null : (
                <Button look="quiet" onClick={() => setRows(moved(rows, index))}>
                  Up
                  <span className="visually-hidden">
                    : {prefix}step {index + 1}
                  </span>
                </Button>
              )}
              <Button look="quiet" onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}>
                Remove
                <span className="visually-hidden">
                  {' '}
                  {prefix}step {index + 1}
                </span>
              </Button>
            </span>
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

/** Returns rows with one of them moved up. */
function moved(rows: readonly Row[], index: number): readonly Row[] {
  return rows.toSpliced(index - 1, 2, ...rows.slice(index - 1, index + 1).reverse());
}

/** Imports steps from a file. @param onRead receives the lists of steps in the file */
export function ImportSteps({ onRead }: { readonly onRead: (read: readonly ImportedRows[]) => void }) {
  const id = useId();
  const read = async ({ target }: React.ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    const text = file.size > fileMaxBytes ? '' : await file.text();
    target.value = '';
    onRead(importedRows(text, file.name, isUsable));
  };
  return (
    <div className={styles.file}>
      <label htmlFor={id}>Import a recording (JSON of Chrome's Recorder, or actions of pa11y)</label>
      <input id={id} type="file" accept=".json,.pa11yci,application/json" onChange={(event) => void read(event)} />
    </div>
  );
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

const TARGETS: Partial<Record<Action, readonly [what: string, placeholder: string]>> = {
  open: ['URL', 'https://…'],
  press: ['key', 'Enter'],
  check: ['name of the mark', 'Filled cart'],
};

function StepFields({ row, actions, name, change }: StepProps) {
  const { action, target, test } = row;
  const label = (what: string): string => `${name}: ${what}`;
  const hasTest = action === 'wait_for' || action === 'expect';
  const [what, placeholder] = TARGETS[action] ?? ['selector', '#password'];
  return (
    <>
      <select
        aria-label={label('action')}
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
        <input
          aria-label={label(what)}
          placeholder={action === 'open' && actions.includes('check') ? '/cart or https://…' : placeholder}
          spellCheck={false}
          className={styles.target}
          value={target}
          onChange={({ target: { value: text } }) => change({ target: text })}
        />
      )}
      {action === 'fill' ? <SourceField row={row} label={label} change={change} /> : null}
      {action === 'fill' || action === 'select' ? <ValueField row={row} label={label} change={change} /> : null}
    </>
  );
}

interface PartProps extends Pick<StepProps, 'row' | 'change'> {
  readonly label: (what: string) => string;
}

function SourceField({ row: { source }, label, change }: PartProps) {
  return (
    <select
      aria-label={label('kind of value')}
      value={source}
      onChange={({ target: { value: name } }) =>
        change({ source: SOURCES.find((known) => known === name) ?? source, value: '', isStored: false })
      }
    >
      {SOURCES.map((name) => (
        <option key={name} value={name}>
          with {SOURCE_TITLES[name]}
        </option>
      ))}
    </select>
  );
}

function ValueField({ row: { action, source, value, isStored }, label, change }: PartProps) {
  const isSecret = action === 'fill' && source !== 'value';
  return (
    <input
      aria-label={label(isSecret ? 'secret' : 'value')}
      type={isSecret ? 'password' : 'text'}
      autoComplete="new-password"
      placeholder={isStored ? 'stored; empty keeps it' : undefined}
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
    <input
      key={name}
      aria-label={`${title}: ${TEST_TITLES[name]}`}
      placeholder={TEST_TITLES[name]}
      spellCheck={false}
      value={test[name]}
      onChange={({ target: { value } }) => change({ ...test, [name]: value })}
    />
  ));
}
