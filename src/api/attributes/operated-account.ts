import type { OperatedAccount } from '../../store/operate.ts';
import { timestamp } from '../jsonapi/document.ts';

/** Returns the attributes of an account for operators, in responses and in the output of commands. */
export function operatedAccountAttributes(account: OperatedAccount) {
  const { name, email, plan, credits, operator, disabled_at: disabledAt, deleting_since: deletingSince } = account;
  const status: 'active' | 'disabled' | 'deleting' =
    deletingSince !== null ? 'deleting' : disabledAt !== null ? 'disabled' : 'active';
  return {
    ...{ name, email, plan, credits, operator, status },
    disabled_at: timestamp(disabledAt),
    num_sites: account.num_sites,
    num_reports: account.num_reports,
    num_running_reports: account.num_running,
    num_web_pages: account.num_pages,
    bytes: account.bytes,
    last_used_at: timestamp(account.last_used_at),
    inserted_at: timestamp(account.inserted_at),
    updated_at: timestamp(account.updated_at),
  } as const;
}
