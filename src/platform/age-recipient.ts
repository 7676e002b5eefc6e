/** What the public keys of recipients of all kinds look like. Their checksums are verified when the keys are used. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{50,}$/;

/**
 * Reads the public key of a recipient in the format of age.
 * @throws Error whose message continues the name of the setting or option
 */
export function parseRecipient(text: string): string {
  if (!RECIPIENT.test(text)) throw new Error('must be the public key of an age identity, which begins with age1');
  return text;
}
