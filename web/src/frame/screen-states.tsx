import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { EmptyState, ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** While the code of a screen is on its way. */
export function ScreenLoading() {
  return <LoadingRows />;
}

/** A screen that broke. After an update of the service, the code that an open tab refers to is gone. */
export function ScreenError({ error }: ErrorComponentProps) {
  return (
    <ErrorNote
      title="This screen broke"
      detail={`${error instanceof Error ? error.message : String(error)} Reload the page; if it happens again, please report it.`}
      onRetry={() => location.reload()}
    />
  );
}

/** A path that leads nowhere. */
export function NotFound() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState title="There is no such page">
        <p>
          <Link to="/">Go to the overview</Link>
        </p>
      </EmptyState>
    </>
  );
}
