import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { LIMITS } from 'sitewarden-client/values';
import type { Item } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { searchQuery } from '../api/queries/search.ts';
import { accountPlaces, PLACES } from '../live/destinations.ts';
import { useSettled } from '../live/use-settled.ts';
import styles from './search-palette.module.css';

interface Option {
  readonly key: string;
  readonly group: string;
  readonly title: string;
  readonly subtitle: string;
  readonly path: string;
}

const GROUPS: Readonly<Record<Item<'search_result'>['resource'], string>> = {
  report: 'Reports',
  web_page: 'Pages',
  common_html_issue: 'HTML',
  common_a11y_issue: 'Accessibility',
  common_link_issue: 'Links',
  schedule: 'Schedules',
};

function screensOf(account: Item<'account'> | undefined): Option[] {
  return [{ to: '/reports/new', title: 'New report' }, ...PLACES, ...accountPlaces(account)].map(({ to, title }) => ({
    ...{ key: to, group: 'Go to', title, subtitle: '', path: to },
  }));
}

/** Finds reports, pages, issues, schedules and screens while typing, and opens the selected one (combobox pattern of ARIA). */
export function SearchPalette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Focused before the next key press arrives, so that text typed right after Ctrl+K is not lost.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.palette} aria-label="Search" onClose={onClose}>
      <Search onClose={() => dialog.current?.close()} />
    </dialog>
  );
}

function Search({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const text = useSettled(typed.trim());
  const results = useQuery(searchQuery(text));
  const account = useQuery(accountQuery);
  const options = useDeferredValue(
    optionsOf(screensOf(account.data), typed.trim(), text === '' ? [] : (results.data?.items ?? [])),
  );
  const current = Math.min(chosen, options.length - 1);
  const id = useId();
  const open = (option: Option | undefined): void => {
    if (option === undefined) return;
    onClose();
    void navigate({ href: option.path });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((current + step + options.length) % Math.max(options.length, 1));
    else if (event.key === 'Enter') open(options[current]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <label className="visually-hidden" htmlFor={`${id}-text`}>
        Search for reports, pages, issues and screens
      </label>
      <input
        id={`${id}-text`}
        className={styles.text}
        type="search"
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(current >= 0 && { 'aria-activedescendant': `${id}-${current}` })}
        placeholder="URL, title, message…"
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.searchTextMaxCharacters}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Results id={id} options={options} current={current} onOpen={open} />
      <p role="status" className={styles.state}>
        {results.error !== null ? results.error.message : stateOf(text, results.isFetching, options.length)}
      </p>
    </>
  );
}

function Results({
  id,
  options,
  current,
  onOpen,
}: {
  readonly id: string;
  readonly options: readonly Option[];
  readonly current: number;
  readonly onOpen: (option: Option) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${current}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);
  const groups = Map.groupBy(options.keys(), (index) => options[index]?.group ?? '');
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className={styles.list}>
      {[...groups].map(([group, indexes]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a list box.
        <div key={group} role="group" aria-label={group}>
          <div className={styles.group} aria-hidden="true">
            {group}
          </div>
          {indexes.map((index) => {
            const option = options[index];
            return option === undefined ? null : (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the focus and handles the keys.
              <div
                key={option.key}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                className={styles.option}
                onClick={() => onOpen(option)}
              >
                <span>{option.title}</span>
                <span className={styles.subtitle}>{option.subtitle}</span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function optionsOf(
  places: readonly Option[],
  text: string,
  found: readonly Item<'search_result'>[],
): readonly Option[] {
  const screens = places.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
  const results = found.map(({ id, resource, title, subtitle, path }) => ({
    key: id,
    group: GROUPS[resource],
    title,
    subtitle,
    path,
  }));
  return text === '' ? screens : [...results, ...screens];
}

function stateOf(text: string, isFetching: boolean, count: number): string {
  if (text === '') return 'Type to search your reports. Press Enter to open a result, Esc to close.';
  if (isFetching) return 'Searching…';
  return count === 0 ? 'No results.' : `${count} ${count === 1 ? 'result' : 'results'}`;
}
