import { type Failure, sentenceOf } from '../../domain/failures/failure.ts';
import type { AccessOwner } from '../../domain/secret-purposes.ts';
import { isNoAccess, NO_ACCESS, type SiteAccess } from '../../domain/site-access.ts';
import { AppError } from '../../platform/errors.ts';
import { openOrNull, type SecretBox, SecretFault } from '../../platform/secret-box.ts';

/** Encrypts and decrypts the credentials for websites. */
export interface CredentialStore {
  /** Encrypts other secrets with the same key. */
  readonly box: SecretBox;
  /** @returns null if there are no credentials */
  seal(access: SiteAccess, owner: AccessOwner): Buffer | null;
  /** @throws UnreadableAccess */
  open(sealed: Uint8Array | null, owner: AccessOwner): SiteAccess;
  /** Returns whether there are credentials that cannot be decrypted. */
  isUnreadable(sealed: Uint8Array | null, owner: AccessOwner): boolean;
}

/** The stored credentials cannot be decrypted. */
export class UnreadableAccess extends AppError {
  readonly failure: Failure = { code: 'access_unreadable', params: {} };

  constructor(cause: SecretFault) {
    super('conflict', sentenceOf({ code: 'access_unreadable', params: {} }), { cause });
  }
}

export function createCredentialStore(box: SecretBox): CredentialStore {
  return {
    box,
    seal: (access, owner) => (isNoAccess(access) ? null : box.seal(JSON.stringify(access), owner)),
    open(sealed, owner) {
      if (sealed === null) return NO_ACCESS;
      try {
        return JSON.parse(box.open(sealed, owner));
      } catch (cause) {
        if (!(cause instanceof SecretFault)) throw cause;
        throw new UnreadableAccess(cause);
      }
    },
    isUnreadable: (sealed, owner) => sealed !== null && openOrNull(box, sealed, owner) === null,
  };
}
