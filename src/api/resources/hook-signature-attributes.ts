import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { HOOK_SIGNATURES, type HookSignature } from '../../domain/hook-signatures.ts';
import { ADDITIVE, nullable } from '../../domain/schemas.ts';
import { type Faults, fault } from '../../platform/fault.ts';
import { newSigningSecret, signingSecretProblem } from '../../schedules/hook-signature.ts';
import type { HookSigning } from '../../store/schedules.ts';
import type { Attributes } from '../jsonapi/attributes.ts';

const SIGNATURE = nullable(
  Type.Enum([...HOOK_SIGNATURES]),
  'How calls of the deploy hook must be signed: like webhooks of `github`, `gitlab`, `netlify` or `vercel`, or as the `standard` of Standard Webhooks says. Null: the URL is enough.',
  { default: null, examples: ['github', null], ...ADDITIVE },
);

/** The secret is shown in the answer to the request that makes it, and never again. */
export const SHOWN_HOOK_SIGNATURE = {
  deploy_hook_signature: SIGNATURE,
  deploy_hook_signing_secret: Type.Optional(
    Type.String({
      description:
        'The secret with which calls are signed. Only in the answer to the request that set `deploy_hook_signature` without giving a secret.',
      examples: ['CtCjvqLc0RPl9zB3hXKq2mYw8sT5uVnA'],
      ...ADDITIVE,
    }),
  ),
};

export const GIVEN_HOOK_SIGNATURE = {
  deploy_hook_signature: Type.Optional(SIGNATURE),
  deploy_hook_signing_secret: Type.Optional(
    nullable(
      Type.String(),
      'A secret that the sender has made: 16 to 255 visible ASCII characters, or for `standard` `whsec_` and base64. Null: one is made when `deploy_hook_signature` changes, except for `vercel`, which always makes its own. To replace one that was made, set `deploy_hook_signature` to null and then again.',
      { default: null, examples: [null], ...ADDITIVE },
    ),
  ),
};

const GIVEN = Type.Object(GIVEN_HOOK_SIGNATURE);

/**
 * Reads how calls of the deploy hook must be signed.
 * @param faults receives what is wrong
 * @param current the scheme of the schedule before the change
 * @returns undefined to keep it as it is
 */
export function readHookSigning(
  attributes: Attributes,
  faults: Faults,
  current: HookSignature | null,
): HookSigning | null | undefined {
  if (faults.has('deploy_hook_signature') || faults.has('deploy_hook_signing_secret')) return undefined;
  const given: Static<typeof GIVEN> = Check(GIVEN, attributes) ? attributes : {};
  const { deploy_hook_signature: signature = current, deploy_hook_signing_secret: secret = null } = given;
  const fails = (name: string, message: string): undefined => void faults.set(name, fault(name, message));
  if (signature === null) {
    if (secret !== null) return fails('deploy_hook_signature', "can't be null with a secret");
    return current === null ? undefined : null;
  }
  if (secret !== null) {
    const problem = signingSecretProblem(signature, secret);
    return problem === null ? { signature, secret, isMade: false } : fails('deploy_hook_signing_secret', problem);
  }
  if (signature === current) return undefined;
  const made = newSigningSecret(signature);
  if (made !== null) return { signature, secret: made, isMade: true };
  return fails('deploy_hook_signing_secret', "can't be blank for vercel, which makes the secret");
}
