import Type, { type Static, type TObject } from 'typebox';
import { PASSWORD_CHARACTERS } from '../../accounts/passwords.ts';
import { SignInFault } from '../../accounts/sign-in-fault.ts';
import { EMAIL_CHARACTERS_MAX } from '../../domain/email-address.ts';
import { AppError } from '../../platform/errors.ts';
import { isObject } from '../../platform/json-object.ts';
import { newEmail, ownerName } from '../attributes/new-account.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { RequestError } from '../jsonapi/errors.ts';

/** An address to sign in with: any text, because a wrong address gets the same response as a wrong password. */
export const GIVEN_EMAIL = Type.String({ maxLength: EMAIL_CHARACTERS_MAX });
export const GIVEN_PASSWORD = Type.String({ maxLength: PASSWORD_CHARACTERS.max });

export const NEW_EMAIL = newEmail();
export const NEW_PASSWORD = Type.Refine(
  Type.String(),
  ({ length }) => length >= PASSWORD_CHARACTERS.min && length <= PASSWORD_CHARACTERS.max,
  () => `must have ${PASSWORD_CHARACTERS.min} to ${PASSWORD_CHARACTERS.max} characters`,
);
export const NAME = ownerName();

/** The last segment of an `invitation_url`. */
export const INVITATION = Type.String({ maxLength: 100 });

/**
 * Reads the body of a request below `/auth`: an object with these fields.
 * @throws AppError invalid_json, invalid_request; RequestError invalid
 */
export function readFields<Schema extends TObject>(schema: Schema, body: unknown): Static<Schema> {
  if (body === undefined) throw new AppError('invalid_json', 'The body is empty. It must be JSON.');
  if (!isObject(body)) throw new AppError('invalid_request', 'The body must be an object.');
  try {
    return readAttributes(schema, body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new RequestError(error.code, error.problems.map(withoutEnvelope));
  }
}

function withoutEnvelope(problem: RequestError['problems'][number]): RequestError['problems'][number] {
  const { source } = problem;
  if (source === undefined || !('pointer' in source)) return problem;
  return { ...problem, source: { pointer: source.pointer.replace('/data/attributes', '') } };
}

/** Returns the error for the client: a `SignInFault` with its position in the body. */
export function withPointer(error: unknown): unknown {
  if (!(error instanceof SignInFault)) return error;
  const { code, field, title, message: detail } = error;
  return new RequestError(code, [{ title, detail, source: { pointer: `/${field}` } }]);
}
