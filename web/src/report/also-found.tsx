import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { KINDS } from '../lib/kinds.ts';
import { useReport } from './report-context.tsx';

/** The other check that reports the elements of a fix, so that one edit fixes both. */
export function AlsoFound({ fix: { also } }: { readonly fix: Item<'fix'> }) {
  const { base } = useReport();
  return also.map(({ kind, common_issue_id: issue, cluster }) => (
    <span key={`${issue} ${cluster}`}>
      {'; also found by the '}
      <Link to={`${base}/${KINDS[kind].path}/${issue}`} search={{ cluster }}>
        {KINDS[kind].title} check
      </Link>
    </span>
  ));
}
