/** Who may create an account without the operator: anyone, invited people, or nobody. */
export const SIGN_UPS = ['open', 'invite', 'closed'] as const;
export type SignUp = (typeof SIGN_UPS)[number];
