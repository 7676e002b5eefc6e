import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.ts';
import type { Database } from '../store/database.ts';
import { findInvitation } from '../store/guest-accounts.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from './links.ts';
import { DOCS_STYLE } from './openapi/docs-style.ts';
import { Html, html } from './openapi/html.ts';
import { sendPage } from './page.ts';

/** Where the `invitation_url` of a guest account leads. */
export const INVITATION_PATH = '/invitations/{secret}';

/** Tells whoever was sent an invitation how to accept it. The address is the secret, so no token is needed to read it. */
export function registerInvitationPage(server: FastifyInstance, db: Database, settings: AddressSettings): void {
  server.get<{ Params: { secret: string } }>('/invitations/:secret', async (request, reply) => {
    const { secret } = request.params;
    const invitation = secret.includes('\0') ? undefined : await findInvitation(db, secret);
    if (invitation === undefined || invitation.guest_id !== null) {
      throw new AppError('not_found', 'There is no such invitation, or it was accepted already.');
    }
    reply.header('cache-control', 'no-store');
    return sendPage(reply, invitationPage(baseUrlFor(request, settings), secret));
  });
}

function invitationPage(base: string, secret: string): string {
  const accept = `curl -X POST ${base}${API_PREFIX}/invitations/${secret}/accept -H "Authorization: Bearer YOUR_TOKEN"`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Invitation to sitewarden</title>
<style>${new Html(DOCS_STYLE)}</style>
</head>
<body>
<main>
<h1>You are invited</h1>
<p>Somebody shares the plan and credits of a sitewarden account with you. Accept with an API token of your own account:</p>
<pre tabindex="0"><code>${accept}</code></pre>
<p>Without an account or a token, ask who runs this service. Whoever has this address can accept, once: keep it to yourself.</p>
<p><a href="${base}/api/docs">How the API is used</a></p>
</main>
</body>
</html>
`.text;
}
