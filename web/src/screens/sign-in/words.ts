/** Why signing in with the identity provider failed, by the code that the service puts into the URL. */
const PROVIDER_ERRORS: Readonly<Record<string, string>> = {
  oidc_refused: 'You cancelled, or the provider refused to sign you in. Try again, or sign in with a password.',
  oidc_failed:
    'The provider did not answer as it should. Try again in a moment. If it happens again, your administrator finds the reason in the log.',
  oidc_expired:
    'Signing in took longer than 10 minutes, or was finished in another browser than the one where it began. Try again.',
  oidc_no_account:
    'There is no account with your e-mail address, and you cannot create one yourself. Ask your administrator for an account.',
  oidc_has_password:
    'There is an account with your e-mail address that has a password. Sign in with it, then link the provider on the screen “Account”.',
  oidc_taken: 'This identity already belongs to another account, so it was not linked to yours.',
  invitation_taken:
    'The invitation was accepted by someone else, or withdrawn. Ask the person who sent it for a new one.',
};

/** Returns what an error code means. */
export function providerError(code: string): string {
  return PROVIDER_ERRORS[code] ?? 'Signing in with the provider failed. Try again.';
}
