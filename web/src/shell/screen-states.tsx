import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { reasonOf } from '../lib/formats.ts';
import { ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { Entry } from './entry.tsx';

/** While the code of a screen is on its way. */
export function ScreenLoading() {
  return <LoadingRows />;
}

/** What Chromium, Firefox and Safari say when the code of a screen is not there. */
const NOT_LOADED = /dynamically imported module|importing a module/i;

/** A screen that broke. After an update of the service, the code that an open tab refers to is gone. */
export function ScreenError({ error }: ErrorComponentProps) {
  if (error instanceof Error && NOT_LOADED.test(error.message)) {
    return (
      <ErrorNote
        title="This screen could not be loaded"
        detail="The service was updated after you opened the page. Trying again reloads the page."
        onRetry={() => location.reload()}
      />
    );
  }
  return (
    <ErrorNote
      title="This screen broke"
      detail={`${reasonOf(error)} Reload the page; if it happens again, please report it.`}
      onRetry={() => location.reload()}
    />
  );
}

/** A path that leads nowhere. */
export function NotFound() {
  return (
    <Entry title="Not found">
      <p>There is no page at this address. It may be incomplete, or what it led to may have moved.</p>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </Entry>
  );
}
