import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { reasonOf } from '../lib/formats.ts';
import { ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { Entry } from './entry.tsx';

/** Shown while the code of a screen loads. */
export function ScreenLoading() {
  return <LoadingRows />;
}

/** The messages of Chromium, Firefox and Safari when the code of a screen doesn't exist. */
const NOT_LOADED = /dynamically imported module|importing a module/i;

/** Shown when a screen fails. After an update of the service, the code to which an open tab refers no longer exists. */
export function ScreenError({ error }: ErrorComponentProps) {
  if (error instanceof Error && NOT_LOADED.test(error.message)) {
    return (
      <ErrorNote
        title="This screen could not be loaded"
        detail="The service was updated after you opened this page. Reload to continue."
        onRetry={() => location.reload()}
      />
    );
  }
  return (
    <ErrorNote
      title="Something went wrong"
      detail={`${reasonOf(error)} Reload the page. If it happens again, report it to your administrator.`}
      onRetry={() => location.reload()}
    />
  );
}

/** Shown for unknown paths. */
export function NotFound() {
  return (
    <Entry title="Not found">
      <p>There is no page at this address. Check that the address is complete.</p>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </Entry>
  );
}
