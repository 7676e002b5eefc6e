import Type, { type TSchemaOptions } from 'typebox';
import { EMAIL_CHARACTERS_MAX, isEmailAddress } from '../../domain/email-address.ts';

const nameMaxCharacters = 200;

/** The email address of a new account, or a new address of an account. */
export function newEmail(options: TSchemaOptions = {}) {
  return Type.Refine(
    Type.String(options),
    (text) => isEmailAddress(text.trim()),
    () => `must be an email address of at most ${EMAIL_CHARACTERS_MAX} characters`,
  );
}

/** The name of the owner of an account. */
export function ownerName(options: TSchemaOptions = {}) {
  return Type.String({ ...options, maxLength: nameMaxCharacters });
}
