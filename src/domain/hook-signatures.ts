/** Whose way of signing calls a deploy hook can demand. */
export const HOOK_SIGNATURES = ['github', 'gitlab', 'netlify', 'standard', 'vercel'] as const;
export type HookSignature = (typeof HOOK_SIGNATURES)[number];
