import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../api/queries/installation.ts';

/** The command with which the operator prints a sign-in link. */
export function LinkCommand({ email }: { readonly email: string }) {
  const command = useQuery(installationQuery).data?.command;
  return command === undefined ? null : (
    <pre>
      {command} account link --email {email}
    </pre>
  );
}
