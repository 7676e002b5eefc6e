import { HOOK_SIGNATURES } from 'sitewarden-client/values';

export type HookSignature = (typeof HOOK_SIGNATURES)[number];

interface SignatureWords {
  readonly title: string;
  /** Completes “signed like …”. */
  readonly how: string;
  /** Where to enter the secret. */
  readonly where: string;
}

const WORDS: Readonly<Record<HookSignature, SignatureWords>> = {
  github: {
    title: 'GitHub',
    how: 'GitHub webhooks',
    where: 'Enter it in the repository: Settings, Webhooks, Secret.',
  },
  gitlab: {
    title: 'GitLab',
    how: 'GitLab webhooks with a secret token',
    where: 'Enter it in the project: Settings, Webhooks, Secret token.',
  },
  netlify: {
    title: 'Netlify',
    how: 'Netlify notifications',
    where: 'Enter it in the project: Notifications, HTTP POST request, JWS secret token.',
  },
  vercel: {
    title: 'Vercel',
    how: 'Vercel webhooks',
    where: 'Vercel generates the secret and shows it when you create the webhook there.',
  },
  standard: {
    title: 'Standard Webhooks',
    how: 'Standard Webhooks messages',
    where: 'Enter it in the service that sends the calls.',
  },
};

/** The supported signatures of deploy hook calls. */
export const SIGNATURES = HOOK_SIGNATURES.map((name) => ({ name, ...WORDS[name] }));

/** Returns a signature by its name; undefined for calls that need no signature. */
export function signatureNamed(name: string | null) {
  return SIGNATURES.find((each) => each.name === name);
}
