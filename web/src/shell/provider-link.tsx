import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../api/queries/installation.ts';
import { buttonClass } from '../parts/button.tsx';
import styles from './entry.module.css';

/**
 * Leads to the identity provider, which signs people in and sends them back; and the word between this and the password. Nothing
 * if the installation has no provider.
 */
export function ProviderLink({
  returnTo,
  invitation,
  isNewTab = false,
}: {
  /** The path to come back to. */
  readonly returnTo: string;
  /** The secret of an invitation that a new account accepts. */
  readonly invitation?: string;
  /** In a tab of its own, what is typed in this one stays. */
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

/** Returns the path that leads to the identity provider. */
export function providerPath(returnTo: string, invitation?: string): string {
  const query = new URLSearchParams({ return_to: returnTo, ...(invitation !== undefined && { invitation }) });
  return `/auth/oidc/start?${query}`;
}
