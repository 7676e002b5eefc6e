import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError, isStatus, OfflineError } from 'sitewarden-client/errors';
import { EmptyState, ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** Shows the data of a query, a loading state, or why loading failed. Old data stays visible during a refetch. */
export function QueryView<Data>({
  query,
  rows,
  isScreen = false,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** How many placeholder rows to show while loading. */
  readonly rows?: number;
  /** Whether the whole screen depends on the query, so that the screen has no heading without its data. */
  readonly isScreen?: boolean;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <LoadingRows {...(rows !== undefined && { rows })} />;
  return (
    <>
      {isScreen ? <PageHead title={isStatus(query.error, 404) ? 'Not found' : 'Loading failed'} /> : null}
      <QueryError error={query.error} onRetry={() => void query.refetch()} />
    </>
  );
}

/** Explains why loading failed. */
export function QueryError({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  if (isStatus(error, 404)) {
    return (
      <EmptyState title="Not found or not shared with you">
        <p>This was deleted, never existed, or belongs to another account.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.code === 'pro_required') {
    return (
      <EmptyState title="Your plan does not include this">
        <p>{error.message} The operator of this installation can change your plan.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.code === 'invalid_parameter') {
    return (
      <EmptyState title="This address contains an invalid value">
        <p>
          <Link to="." search={{}}>
            Reset filters
          </Link>
        </p>
      </EmptyState>
    );
  }
  if (error instanceof OfflineError) {
    return (
      <ErrorNote
        title="The service does not respond"
        detail="Check that it is running and that your network works."
        onRetry={onRetry}
      />
    );
  }
  const id = error instanceof ApiError ? (error.items[0]?.id ?? null) : null;
  return <ErrorNote title="This could not be loaded" detail={error.message} id={id} onRetry={onRetry} />;
}
