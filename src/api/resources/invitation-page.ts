import type { FastifyInstance } from 'fastify';
import type { Database } from '../../store/database.ts';
import { findInvitation } from '../../store/guest-accounts.ts';
import { type Html, html, htmlPage, sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';

/**
 * Plugin for the page of an `invitation_url`, which explains how to accept the invitation, or why that is no longer possible.
 * The URL is the secret, so the page takes no token.
 */
export function invitationPage(
  server: FastifyInstance,
  { db, settings }: { readonly db: Database; readonly settings: AddressSettings },
  done: () => void,
): void {
  // Malformed URLs get a page, too.
  server.get<{ Params: { '*': string } }>('/invitations/*', async (request, reply) => {
    const secret = request.params['*'];
    const base = baseUrlFor(request, settings);
    const invitation = await findInvitation(db, secret);
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    if (invitation === undefined) return sendPage(reply.code(404), unknownPage(base));
    if (invitation.guest_id !== null) return sendPage(reply.code(410), usedPage(base));
    return sendPage(reply, openPage(base, secret));
  });
  done();
}

function openPage(base: string, secret: string): string {
  const accept = `curl -X POST ${base}${API_PREFIX}/invitations/${secret}/accept -H "Authorization: Bearer YOUR_TOKEN"`;
  return page(
    base,
    'You are invited',
    html`<p>Someone wants to share the plan and credits of their sitewarden account with you. Accept with an API token of your own account:</p>
<pre tabindex="0"><code>${accept}</code></pre>
<p>If you have no account or token, ask the operator of this service. Anyone who has this URL can accept the invitation, once: keep it secret.</p>`,
  );
}

function usedPage(base: string): string {
  return page(
    base,
    'This invitation has already been accepted',
    html`<p>An invitation can be accepted once. If you accepted it, there is nothing more to do: your account uses the plan and credits of
the person who invited you. <code>GET ${API_PREFIX}/account</code> shows them.</p>
<p>If you did not, tell the person who sent you the URL. They can delete the guest account and send you a new invitation.</p>`,
  );
}

function unknownPage(base: string): string {
  return page(
    base,
    'Invitation not found',
    html`<p>The URL may be incomplete, since mail programs break long ones. Copy all of it from the message.</p>
<p>If it is complete, the invitation was withdrawn. Ask the sender for a new one.</p>`,
  );
}

function page(base: string, title: string, content: Html): string {
  return htmlPage(
    `${title} · sitewarden`,
    html`<main>
<h1>${title}</h1>
${content}
<p><a href="${base}/api/docs">API documentation</a></p>
</main>`,
  );
}
