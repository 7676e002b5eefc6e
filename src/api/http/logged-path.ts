/** A word of an address as the service has them: longer ones may be a secret, or a part of one. */
const WORD = /^[\w.~-]{0,20}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Behind these words stand secrets, be they whole or cut in pieces. */
const BEFORE_SECRETS = /^(schedule|invitations)$/i;
const BEHIND_SECRETS = /^(fire|accept)$/i;

/**
 * The path of a request as it may be logged: logs are read by more people than the secrets in addresses are meant for.
 * What is no word or id of ours is hidden, however it is encoded and whether or not anything answers there; the query is
 * left out.
 */
export function loggedPath(url: string): string {
  let mayBeSecret = false;
  const segments = url.replace(/[?#].*/s, '').split('/');
  const shown = segments.map((segment) => {
    const isHidden = mayBeSecret && segment !== '' && !BEHIND_SECRETS.test(segment);
    mayBeSecret ||= BEFORE_SECRETS.test(decoded(segment));
    return UUID.test(segment) || (!isHidden && WORD.test(segment)) ? segment : '(hidden)';
  });
  return shown.join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
