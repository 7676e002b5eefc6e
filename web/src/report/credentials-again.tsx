import type { Copied } from './use-copied.ts';

/** Says how the copy signs in: with the login of its site, or with credentials to enter again, because they are never shown. */
export function CredentialsAgain({ copied: { site, signsIn, hasLogin } }: { readonly copied: Copied }) {
  if (hasLogin) return <p>The login form of the site is used, unless you enter other credentials here.</p>;
  if (!signsIn) return null;
  return (
    <p>
      {site === null
        ? 'The original report signed in to the site. If the site has a login form, it is used. Enter any other credentials again.'
        : 'The site has stored credentials. Enter the credentials again.'}
    </p>
  );
}
