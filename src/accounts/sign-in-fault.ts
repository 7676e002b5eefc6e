import { AppError, type ErrorCode } from '../platform/errors.ts';

/** What people enter to sign in or up, or bring with their request. */
type SignInField = 'email' | 'current_password' | 'invitation';

/** What is wrong with one field of the form to sign in or up. `title` is the short form, to follow its name. */
export class SignInFault extends AppError {
  readonly field: SignInField;
  readonly title: string;

  constructor(code: ErrorCode, field: SignInField, title: string, message: string) {
    super(code, message);
    this.field = field;
    this.title = title;
  }
}

export function addressTaken(email: string): SignInFault {
  const detail = `An account with the address ${email} already exists.`;
  return new SignInFault('conflict', 'email', 'already has an account', detail);
}
