import { useSyncExternalStore } from 'react';

/** The preferences that this browser stores, with their possible values. The first is the default. */
const PREFERENCES = {
  /** Color scheme. */
  theme: ['system', 'light', 'dark'],
  /** Height of the rows of tables. */
  density: ['comfortable', 'compact'],
  /** Whether single-key shortcuts are on (WCAG 2.2, 2.1.4). */
  keys: ['on', 'off'],
} as const;

type Preference = keyof typeof PREFERENCES;
export type Choice<Name extends Preference> = (typeof PREFERENCES)[Name][number];

const listeners = new Set<() => void>();

/** Returns the preference, and a function that changes it. Other tabs follow. */
export function usePreference<Name extends Preference>(
  name: Name,
): readonly [choice: Choice<Name>, choose: (choice: Choice<Name>) => void] {
  const choice = useSyncExternalStore(subscribe, () => preference(name));
  return [choice, (next) => setPreference(name, next)];
}

/** Returns the stored value; the default if storage is unavailable. */
export function preference<Name extends Preference>(name: Name): Choice<Name> {
  const choices: readonly Choice<Name>[] = PREFERENCES[name];
  const stored = storedValue(name);
  return choices.find((choice) => choice === stored) ?? PREFERENCES[name][0];
}

function storedValue(name: Preference): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function setPreference<Name extends Preference>(name: Name, choice: Choice<Name>): void {
  try {
    if (choice === PREFERENCES[name][0]) localStorage.removeItem(name);
    else localStorage.setItem(name, choice);
  } catch {
    // Without storage, preferences cannot be changed, as in `theme.js`.
  }
  announce();
}

/** Styles read the preferences from the root element. `theme.js` sets them before the first paint. */
function announce(): void {
  for (const name of ['theme', 'density'] as const) {
    const choice = preference(name);
    if (choice === PREFERENCES[name][0]) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = choice;
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', announce);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', announce);
  };
}
