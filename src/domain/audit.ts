/** Who acts: a program with an API token, a signed-in person, a reader with a share link, anyone else, or a command. */
export const ACTORS = ['api_token', 'session', 'share_link', 'anyone', 'command'] as const;
export type Actor = (typeof ACTORS)[number];
