import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { forgetFormerAddress } from '../api/changes/sessions.ts';
import { whoQuery } from '../api/queries/sessions.ts';
import { Button } from '../parts/button.tsx';
import styles from './frame.module.css';
import { useChange } from './use-change.ts';

/** Tells that the e-mail address of the account was changed in another browser, until somebody has read it. */
export function FormerAddress() {
  const who = useQuery(whoQuery);
  const queries = useQueryClient();
  const change = useChange();
  const former = who.data?.session?.former_email ?? null;
  const forget = async (): Promise<void> => {
    if (await change(forgetFormerAddress)) await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
  };
  return (
    <div role="status" className={former === null ? '' : styles.offline}>
      {former === null ? null : (
        <>
          The e-mail address of this account was changed from {former} to {who.data?.account?.email}. If that was not
          you, <Link to="/account">change your password</Link>, and tell your administrator.{' '}
          <Button onClick={() => void forget()}>OK</Button>
        </>
      )}
    </div>
  );
}
