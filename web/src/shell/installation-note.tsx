import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { installationQuery } from '../api/queries/installation.ts';
import { Bar } from '../parts/bar.tsx';

/** How often the dashboard reads the state of the installation. */
const INTERVAL_MS = 30_000;
/** The same while a part is unavailable. */
const UNAVAILABLE_INTERVAL_MS = 5_000;
/** The note waits this long, because parts are unavailable for a few seconds while they start. */
const UNAVAILABLE_AFTER_MS = 10_000;

/** What has to wait while a part is starting or broken. If there are several such parts, the first is shown. */
const CONSEQUENCES: readonly (readonly [part: string, consequence: string])[] = [
  [
    'writable',
    'The database accepts no changes. Results can be read, but nothing is checked or saved until it accepts changes again.',
  ],
  [
    'browser',
    'Accessibility checks wait until the browser of this service is ready, and so do reports that sign in, run scripts to find pages or perform journeys. Reports cannot be saved as PDF until then.',
  ],
  ['validator', 'HTML checks wait until the HTML validator of this service is ready.'],
];

/** Says that nothing is checked because the operator has paused the installation, or that checks wait for a part. */
export function InstallationNote() {
  const { data } = useQuery({
    ...installationQuery,
    staleTime: UNAVAILABLE_INTERVAL_MS,
    refetchInterval: ({ state }) =>
      consequenceOf(state.data?.unavailable_parts) === null ? INTERVAL_MS : UNAVAILABLE_INTERVAL_MS,
  });
  const consequence = useLasting(consequenceOf(data?.unavailable_parts), UNAVAILABLE_AFTER_MS);
  return (
    <Bar>
      {data?.paused === true
        ? 'This installation is paused: nothing is checked, schedules do not run and notifications wait, until its operator resumes it.'
        : consequence === null
          ? null
          : `${consequence} If this takes more than a minute, the operator can find the reason with “${data?.command} doctor”.`}
    </Bar>
  );
}

function consequenceOf(parts: readonly string[] = []): string | null {
  return CONSEQUENCES.find(([part]) => parts.includes(part))?.[1] ?? null;
}

/** Returns a value once it has been the same for a while; null before. */
function useLasting(value: string | null, ms: number): string | null {
  const [lasting, setLasting] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return lasting === value ? value : null;
}
