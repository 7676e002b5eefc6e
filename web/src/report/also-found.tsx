import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { alsoFixedBy, numberedWords } from 'sitewarden-client/causes';
import type { Item } from '../api/client.ts';
import { KINDS } from '../lib/kinds.ts';
import { useReport } from './report-context.tsx';

type Fix = Item<'fix'>;

/** Other issues that the edit of a fix also fixes, with links to their occurrences. */
export function AlsoFound({ fix }: { readonly fix: Fix }) {
  const { otherChecks, numbered, others } = alsoFixedBy(fix);
  const [firstNumbered] = numbered;
  return (
    <>
      {otherChecks.map((issue) => (
        <span key={issue.common_issue_id}>
          {'; also found by the '}
          <IssueLink issue={issue}>{KINDS[issue.kind].title} check</IssueLink>
        </span>
      ))}
      {others.map((issue) => (
        <span key={issue.common_issue_id}>
          {'; also fixes '}
          <IssueLink issue={issue}>{issue.message}</IssueLink>
        </span>
      ))}
      {firstNumbered === undefined ? null : (
        <>
          {`; also fixes ${numberedWords(numbered.length)}, such as `}
          <IssueLink issue={firstNumbered}>{firstNumbered.message.replace(/\.$/, '')}</IssueLink>
        </>
      )}
    </>
  );
}

function IssueLink({ issue, children }: { readonly issue: Fix['also'][number]; readonly children: ReactNode }) {
  const { base } = useReport();
  const { kind, common_issue_id: id, cluster } = issue;
  return (
    <Link to={`${base}/${KINDS[kind].path}/${id}`} search={{ cluster }}>
      {children}
    </Link>
  );
}
