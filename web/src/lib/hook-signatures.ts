import { HOOK_SIGNATURES } from 'sitewarden-client/values';

export type HookSignature = (typeof HOOK_SIGNATURES)[number];

interface SignatureWords {
  readonly title: string;
  /** How it is done. */
  readonly how: string;
  /** Where the secret is entered. */
  readonly where: string;
}

const WORDS: Readonly<Record<HookSignature, SignatureWords>> = {
  github: {
    title: 'GitHub',
    how: 'webhooks of GitHub are',
    where: 'Enter it in the repository: Settings, Webhooks, Secret.',
  },
  gitlab: {
    title: 'GitLab',
    how: 'webhooks of GitLab are, with its secret token',
    where: 'Enter it in the project: Settings, Webhooks, Secret token.',
  },
  netlify: {
    title: 'Netlify',
    how: 'notifications of Netlify are',
    where: 'Enter it in the project: Notifications, HTTP POST request, JWS secret token.',
  },
  vercel: {
    title: 'Vercel',
    how: 'webhooks of Vercel are',
    where: 'Vercel makes the secret, and shows it when you create the webhook there.',
  },
  standard: {
    title: 'Standard Webhooks',
    how: 'Standard Webhooks says',
    where: 'Enter it at the sender, which follows Standard Webhooks.',
  },
};

/** How calls of a deploy hook can be signed. */
export const SIGNATURES = HOOK_SIGNATURES.map((name) => ({ name, ...WORDS[name] }));

/** Returns how calls are signed, by its name; undefined for calls that need not be signed. */
export function signatureNamed(name: string | null) {
  return SIGNATURES.find((each) => each.name === name);
}
