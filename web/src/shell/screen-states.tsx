import { useQuery } from '@tanstack/react-query';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { whoQuery } from '../api/queries/sessions.ts';
import { reasonOf } from '../lib/formats.ts';
import { ErrorNote, LoadingRows } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Entry } from './entry.tsx';
import { Frame } from './frame.tsx';

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
      detail={`${reasonOf(error)} Reload the page. If it happens again, report it to the operator of this installation.`}
      onRetry={() => location.reload()}
    />
  );
}

/** Shown for unknown paths; to users who are signed in, with the navigation. */
export function NotFound() {
  const who = useQuery(whoQuery);
  if (who.isPending) return null;
  if (who.data?.account)
    return (
      <Frame>
        <NotFoundInFrame />
      </Frame>
    );
  return (
    <Entry title="Not found">
      <NothingHere />
    </Entry>
  );
}

/** Shown within the frame of a screen for values that its path cannot have. */
export function NotFoundInFrame() {
  return (
    <>
      <PageHead title="Not found" />
      <NothingHere />
    </>
  );
}

function NothingHere() {
  return (
    <>
      <p>There is no page at this address. Check that the address is complete.</p>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </>
  );
}
