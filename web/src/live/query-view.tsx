import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError, isStatus, OfflineError } from 'sitewarden-client/errors';
import { EmptyState, ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** Shows what a query read; until then that it is loading, or why it could not be read. Old data stays while new is read. */
export function QueryView<Data>({
  query,
  rows,
  isScreen = false,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** How many gray rows to show while loading. */
  readonly rows?: number;
  /** Whether the whole screen is about it, so that there is no heading without it. */
  readonly isScreen?: boolean;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <LoadingRows {...(rows !== undefined && { rows })} />;
  return (
    <>
      {isScreen ? <PageHead title={isStatus(query.error, 404) ? 'Not found' : 'Not loaded'} /> : null}
      <QueryError error={query.error} onRetry={() => void query.refetch()} />
    </>
  );
}

/** Why something could not be read. */
export function QueryError({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  if (isStatus(error, 404)) {
    return (
      <EmptyState title="There is nothing here for you">
        <p>It was deleted, never existed, or belongs to an account that does not share it with you.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.code === 'pro_required') {
    return (
      <EmptyState title="Your plan does not include this">
        <p>{error.message} Your administrator can change the plan of your account.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.code === 'invalid_parameter') {
    return (
      <EmptyState title="Something in this address is not valid">
        <p>
          <Link to="." search={{}}>
            Show everything
          </Link>
        </p>
      </EmptyState>
    );
  }
  if (error instanceof OfflineError) {
    return (
      <ErrorNote title="The service does not answer" detail="Is it running, and is the network up?" onRetry={onRetry} />
    );
  }
  const id = error instanceof ApiError ? (error.items[0]?.id ?? null) : null;
  return <ErrorNote title="This could not be loaded" detail={error.message} id={id} onRetry={onRetry} />;
}
