/** An address has characters on both sides of its last `@`. Whether it accepts email is not checked. */
const FORM = /^[^\s@\0][^\s\0]*@[^\s@\0]+$/;
export const EMAIL_CHARACTERS_MAX = 254;

/** Whether a string without spaces around it has the form of an email address. */
export function isEmailAddress(text: string): boolean {
  return FORM.test(text) && text.length <= EMAIL_CHARACTERS_MAX;
}

const RECEIVING_FORM = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/;

/** Whether email can be sent to an address: it must not contain characters that separate or quote addresses in emails. */
export function canReceiveEmail(text: string): boolean {
  return isEmailAddress(text) && RECEIVING_FORM.test(text);
}

/**
 * Returns the string by which addresses are compared: two addresses with the same string are one account. Only ASCII letters are
 * folded, and spaces around the address are removed: with the case rules of Unicode, different addresses can become equal, and
 * programs use different versions of these rules.
 */
export function addressKey(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
