import { utcTime } from '../platform/utc-time.ts';
import type { OperatedAccount } from '../store/operate.ts';

/** Returns the attributes of an account for operators, in responses of the API and in the output of commands. */
export function operatedAttributes(account: OperatedAccount) {
  const { name, email, plan, credits, operator, disabled_at: disabledAt, deleting_since: deletingSince } = account;
  const status: 'active' | 'disabled' | 'deleting' =
    deletingSince !== null ? 'deleting' : disabledAt !== null ? 'disabled' : 'active';
  return {
    ...{ name, email, plan, credits, operator, status },
    disabled_at: utcTime(disabledAt),
    num_sites: account.num_sites,
    num_reports: account.num_reports,
    num_running_reports: account.num_running,
    num_web_pages: account.num_pages,
    bytes: account.bytes,
    last_used_at: utcTime(account.last_used_at),
    inserted_at: utcTime(account.inserted_at),
    updated_at: utcTime(account.updated_at),
  };
}
