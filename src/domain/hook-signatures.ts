/** The signature schemes that a deploy hook can require. */
export const HOOK_SIGNATURES = ['github', 'gitlab', 'netlify', 'standard', 'vercel'] as const;
export type HookSignature = (typeof HOOK_SIGNATURES)[number];
