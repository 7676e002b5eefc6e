import type { Copied } from './use-copied.ts';

/** Asks for the credentials of the copied site or report again: the server never returns them. */
export function CredentialsAgain({ copied: { site, signsIn } }: { readonly copied: Copied }) {
  if (!signsIn) return null;
  return (
    <p>
      {site === null ? 'The original report signed in to the site.' : 'The site has stored credentials.'} Enter the
      credentials again.
    </p>
  );
}
