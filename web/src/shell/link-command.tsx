import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../api/queries/installation.ts';

/** The command that prints a link to sign in, as the operator of this installation types it. */
export function LinkCommand({ email }: { readonly email: string }) {
  const command = useQuery(installationQuery).data?.command;
  return command === undefined ? null : (
    <pre>
      {command} account link --email {email}
    </pre>
  );
}
