import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { count, pathOf } from '../lib/formats.ts';
import type { Kind } from '../lib/kinds.ts';
import { occurrenceLink } from '../lib/occurrence-link.ts';
import { useReport } from './report-context.tsx';

/** A link to a sample occurrence in the source of its page. */
export function SampleLink({
  kind,
  sample,
  isOnly,
  muted,
}: {
  readonly kind: Kind;
  readonly sample: Item<'cluster'>['sample'];
  /** Whether it is the only occurrence. */
  readonly isOnly: boolean;
  /** As in the list that has the occurrence. Absent for issues that count. */
  readonly muted?: string | undefined;
}) {
  const { base } = useReport();
  return (
    <Link {...occurrenceLink(base, kind, sample, muted)}>
      {isOnly ? '' : 'first: '}
      {pathOf(sample.url)}
      {sample.line === null ? '' : `, line ${count(sample.line)}`}
    </Link>
  );
}
