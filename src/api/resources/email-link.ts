import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { UUID } from '../../domain/schemas.ts';
import { EMAIL_LINK_PATH, EMAIL_LINKS, type EmailLink, isCode } from '../../notifications/email-links.ts';
import { notFound } from '../../platform/errors.ts';
import { confirmAddress, findChannel, withdrawAddress } from '../../store/notifications/notification-channels.ts';
import { ignoreBodies } from '../http/body.ts';
import type { ApiParts } from '../http/endpoint.ts';
import { html, htmlPage, sendPage } from '../http/html-page.ts';
import { routeOf } from '../http/links.ts';

const PARAMS = Type.Object({ notification_channel_id: UUID, link: Type.Enum([...EMAIL_LINKS]), code: Type.String() });
type Params = Type.Static<typeof PARAMS>;

/** What the pages say. */
const TEXTS: Readonly<Record<EmailLink, { readonly ask: string; readonly button: string; readonly done: string }>> = {
  confirm: {
    ask: 'Receive website check notifications',
    button: 'Confirm address',
    done: 'Your address is confirmed. You will now receive notifications by email.',
  },
  stop: {
    ask: 'Stop receiving website check notifications',
    button: 'Unsubscribe',
    done: 'You have unsubscribed and will receive no more of these emails.',
  },
};

/**
 * Plugin for the links in emails. GET asks for confirmation and POST acts, since virus scanners open the links in emails; a POST
 * is also what email programs send for one click (RFC 8058).
 */
export function emailLinks(
  server: FastifyInstance,
  { db, credentialStore: { box } }: Pick<ApiParts, 'db' | 'credentialStore'>,
  done: () => void,
): void {
  ignoreBodies(server);
  const find = async (params: unknown) => {
    if (!Check(PARAMS, params)) throw notFound();
    const { notification_channel_id: id, link, code } = params;
    const channel = await findChannel(db, id);
    if (channel?.kind !== 'email' || !isCode(box, channel, link, code)) throw notFound();
    return { channel, link };
  };
  server.get<{ Params: Params }>(routeOf(EMAIL_LINK_PATH), async (request, reply) => {
    const { channel, link } = await find(request.params);
    const { ask, button } = TEXTS[link];
    const body = html`<main><h1>${button}</h1><p>${ask} at ${channel.target}?</p>
<form method="post"><button>${button}</button></form></main>`;
    return sendPage(privately(reply), htmlPage(button, body), "'self'");
  });
  server.post<{ Params: Params }>(routeOf(EMAIL_LINK_PATH), async (request, reply) => {
    const { channel, link } = await find(request.params);
    if (link === 'confirm') await confirmAddress(db, channel.id);
    else await withdrawAddress(db, channel.id, { code: 'recipient_stopped', params: {} });
    const { button, done: text } = TEXTS[link];
    return sendPage(privately(reply), htmlPage(button, html`<main><h1>Done</h1><p>${text}</p></main>`));
  });
  done();
}

function privately(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}
