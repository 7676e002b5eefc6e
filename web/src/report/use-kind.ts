import { type Kind, kindOfPath } from '../lib/kinds.ts';
import { useOpenPath } from '../live/use-route.ts';
import { useReport } from './report-context.tsx';

/** Returns the kind of check whose issues the screen shows, from the path segment after the report. */
export function useKind(): Kind {
  const { base } = useReport();
  const path = useOpenPath();
  const kind = kindOfPath(path.slice(base.length + 1).split('/')[0] ?? '');
  if (kind === undefined) throw new Error(`The path ${path} names no kind of check.`);
  return kind;
}
