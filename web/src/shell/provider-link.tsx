import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../api/queries/installation.ts';
import { buttonClass } from '../parts/button.tsx';
import styles from './entry.module.css';

/**
 * A link that signs in with the identity provider, and a separator before the password form. Empty without a
 * provider.
 */
export function ProviderLink({
  returnTo,
  invitation,
  isNewTab = false,
}: {
  /** The path to return to. */
  readonly returnTo: string;
  /** The secret of an invitation that the new account accepts. */
  readonly invitation?: string;
  /** Opens a new tab, so that the input in this one stays. */
  readonly isNewTab?: boolean;
}) {
  const provider = useQuery(installationQuery).data?.oidc ?? null;
  if (provider === null) return null;
  return (
    <>
      <a
        className={buttonClass()}
        href={providerPath(returnTo, invitation)}
        {...(isNewTab && { target: '_blank', rel: 'noopener' })}
      >
        Sign in with {provider.name}
        {isNewTab ? ' in a new tab' : ''}
      </a>
      <p className={styles.or}>or with a password</p>
    </>
  );
}

/** Returns the path that starts signing in with the identity provider. */
export function providerPath(returnTo: string, invitation?: string): string {
  const query = new URLSearchParams({ return_to: returnTo, ...(invitation !== undefined && { invitation }) });
  return `/auth/oidc/start?${query}`;
}
