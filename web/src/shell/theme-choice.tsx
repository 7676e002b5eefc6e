import { usePreference } from '../live/preferences.ts';

const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const;

/** Changes the color scheme. */
export function ThemeChoice({ className }: { readonly className?: string }) {
  const [theme, setTheme] = usePreference('theme');
  return (
    <button type="button" className={className} onClick={() => setTheme(NEXT[theme])}>
      Theme: {theme}
    </button>
  );
}
