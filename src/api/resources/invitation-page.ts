import type { FastifyInstance } from 'fastify';
import type { Database } from '../../store/database.ts';
import { findInvitation } from '../../store/guest-accounts.ts';
import { type Html, html, htmlPage, sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';

/**
 * A plugin for the page that an `invitation_url` leads to: how to accept the invitation, or why that is not possible any
 * more. The URL is the secret, so the page takes no token.
 */
export function invitationPage(
  server: FastifyInstance,
  { db, settings }: { readonly db: Database; readonly settings: AddressSettings },
  done: () => void,
): void {
  // Whatever stands there, a person sees a page.
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
    html`<p>Somebody shares the plan and credits of a sitewarden account with you. Accept with an API token of your own account:</p>
<pre tabindex="0"><code>${accept}</code></pre>
<p>Without an account or a token, ask who runs this service. Whoever has this address can accept, once: keep it to yourself.</p>`,
  );
}

function usedPage(base: string): string {
  return page(
    base,
    'This invitation has been accepted',
    html`<p>An invitation can be accepted once. If that was you, there is nothing more to do: your account works under the plan and
credits of who invited you, and <code>GET ${API_PREFIX}/account</code> shows them.</p>
<p>If it was not you, tell who sent you the address. They can delete the guest account and send you a new invitation.</p>`,
  );
}

function unknownPage(base: string): string {
  return page(
    base,
    'There is no such invitation',
    html`<p>The address may be incomplete: mail programs break long ones. Copy the whole of it from the message.</p>
<p>If it is complete, the invitation was withdrawn. Ask who sent it for a new one.</p>`,
  );
}

function page(base: string, title: string, content: Html): string {
  return htmlPage(
    `${title} · sitewarden`,
    html`<main>
<h1>${title}</h1>
${content}
<p><a href="${base}/api/docs">How the API is used</a></p>
</main>`,
  );
}
