import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Who } from '../../api/auth-client.ts';
import { acceptInvitation, signOut } from '../../api/changes/sessions.ts';
import { invitationQuery, whoQuery } from '../../api/queries/sessions.ts';
import formStyles from '../../frame/form.module.css';
import { useForm } from '../../frame/use-form.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';

/** Accepts the invitation for the account that is signed in, or leads to another one. */
export function AcceptAs({
  secret,
  account,
}: {
  readonly secret: string;
  readonly account: NonNullable<Who['account']>;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(async () => {
    await acceptInvitation(secret);
    await queries.invalidateQueries({ queryKey: ['account'], refetchType: 'all' });
    // The secret was used, so it leaves the history.
    await navigate({ to: '/', replace: true });
    queries.removeQueries({ queryKey: invitationQuery(secret).queryKey });
  });
  const changeAccount = async (): Promise<void> => {
    await signOut();
    queries.clear();
    await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
  };
  return (
    <form className={formStyles.form} onSubmit={form.onSubmit}>
      <ErrorSummary errors={form.errors} />
      <div className={formStyles.actions}>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Accept as {account.name === '' ? account.email : account.name}
        </Button>
        <Button onClick={() => void changeAccount()}>Use another account</Button>
      </div>
      <p>You are signed in as {account.email}.</p>
    </form>
  );
}
