/** How calls of a deploy hook can be signed: the names of the API, how that is done, and where the secret is entered. */
export const HOOK_SIGNATURES = [
  {
    name: 'github',
    title: 'GitHub',
    how: 'webhooks of GitHub are',
    where: 'Enter it in the repository: Settings, Webhooks, Secret.',
  },
  {
    name: 'gitlab',
    title: 'GitLab',
    how: 'webhooks of GitLab are, with its secret token',
    where: 'Enter it in the project: Settings, Webhooks, Secret token.',
  },
  {
    name: 'netlify',
    title: 'Netlify',
    how: 'notifications of Netlify are',
    where: 'Enter it in the project: Notifications, HTTP POST request, JWS secret token.',
  },
  {
    name: 'vercel',
    title: 'Vercel',
    how: 'webhooks of Vercel are',
    where: 'Vercel makes the secret, and shows it when you create the webhook there.',
  },
  {
    name: 'standard',
    title: 'Standard Webhooks',
    how: 'Standard Webhooks says',
    where: 'Enter it at the sender, which follows Standard Webhooks.',
  },
] as const;
export type HookSignature = (typeof HOOK_SIGNATURES)[number]['name'];

/** Returns how calls are signed, by its name; undefined for calls that need not be signed. */
export function signatureNamed(name: string | null) {
  return HOOK_SIGNATURES.find((each) => each.name === name);
}
