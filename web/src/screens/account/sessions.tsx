import { useQuery, useQueryClient } from '@tanstack/react-query';
import { endOtherSessions, endSession } from '../../api/changes/sessions.ts';
import { type Session, sessionsQuery } from '../../api/queries/sessions.ts';
import { browserName } from '../../lib/browsers.ts';
import { dateTime } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useSignOut } from '../../shell/session.ts';

/** The browsers that are signed in to the account. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const queries = useQueryClient();
  const signOut = useSignOut();
  const change = useChange();
  const end = async (session: Session): Promise<void> => {
    if (session.current) return signOut();
    await change(() => endSession(session.id));
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const endOthers = async (): Promise<void> => {
    await change(endOtherSessions);
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <QueryView query={sessions} rows={2}>
      {(data) => (
        <>
          <DataTable
            caption="Signed-in browsers"
            columns={columnsOf((session) => void end(session))}
            rows={data}
            keyOf={({ id }) => id}
          />
          {data.length > 1 ? (
            <p>
              <Button onClick={() => void endOthers()}>Sign out all other browsers</Button>
            </p>
          ) : null}
        </>
      )}
    </QueryView>
  );
}

function columnsOf(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      key: 'browser',
      title: 'Browser',
      isMain: true,
      cell: ({ user_agent: userAgent, current }) => (
        <span title={userAgent ?? undefined}>
          {browserName(userAgent)}
          {current ? ' (this browser)' : ''}
        </span>
      ),
    },
    { key: 'seen', title: 'Last used', isNumber: true, cell: ({ last_seen_at: time }) => dateTime(time) },
    { key: 'since', title: 'Signed in', isNumber: true, cell: ({ inserted_at: time }) => dateTime(time) },
    { key: 'until', title: 'Expires', isNumber: true, cell: ({ expires_at: time }) => dateTime(time) },
    {
      key: 'end',
      title: 'Action',
      cell: (session) => <Button onClick={() => onEnd(session)}>Sign out</Button>,
    },
  ];
}
