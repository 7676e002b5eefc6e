import type { ButtonHTMLAttributes } from 'react';
import { usePreference } from '../live/preferences.ts';

const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const;

/** Changes the color scheme. */
export function ThemeChoice(attributes: ButtonHTMLAttributes<HTMLButtonElement>) {
  const [theme, setTheme] = usePreference('theme');
  return (
    <button type="button" {...attributes} onClick={() => setTheme(NEXT[theme])}>
      Theme: {theme}
    </button>
  );
}
