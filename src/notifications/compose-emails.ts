import { randomUUID } from 'node:crypto';
import type { Email } from '../egress/mailer.ts';
import type { Clock } from '../platform/clock.ts';
import { escapeMarkup } from '../platform/escape-markup.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { NotificationChannel } from '../store/notifications/notification-tables.ts';
import type { Account } from '../store/schema.ts';
import type { Message } from './compose-message.ts';
import { messageText } from './digest-text.ts';
import { emailLink } from './email-links.ts';
import { type Item, linesOf, type MessageText } from './event-text.ts';

/** Returns the email for a message, as text and as HTML that loads nothing. */
export function emailFor(
  { id, channel }: { readonly id: string; readonly channel: NotificationChannel },
  message: Message,
  { box, baseUrl }: { readonly box: Pick<SecretBox, 'sign'>; readonly baseUrl: string },
): Email {
  const isQuestion = message.type === 'confirmation';
  const unsubscribeUrl = isQuestion ? null : emailLink(box, channel, 'stop', baseUrl);
  const link = isQuestion ? { text: 'Confirm address', url: emailLink(box, channel, 'confirm', baseUrl) } : undefined;
  const content = { ...messageText(message, baseUrl), ...(link !== undefined && { link }) };
  return { id, to: channel.target, subject: content.title, unsubscribeUrl, ...bodiesOf(content, unsubscribeUrl) };
}

/** Returns the email that notifies an account that one of its channels was paused. */
export function emailOfPause(
  account: Pick<Account, 'email'>,
  { id, name, target }: NotificationChannel,
  { clock, baseUrl }: { readonly clock: Clock; readonly baseUrl: string },
): Email {
  const timestamp = clock().toISOString();
  const message: Message = { type: 'channel.paused', timestamp, data: { channel: { id, name, target } } };
  const content = messageText(message, baseUrl);
  return {
    id: randomUUID(),
    to: account.email,
    subject: content.title,
    unsubscribeUrl: null,
    ...bodiesOf(content, null),
  };
}

/** @param stopUrl contains the host of the installation as its users know it */
function whyOf(stopUrl: string): string {
  return `You received this email because a user of ${new URL(stopUrl).host} added this address to their notifications.`;
}

function bodiesOf(content: MessageText, stopUrl: string | null): Pick<Email, 'text' | 'html'> {
  return { text: textOf(content, stopUrl), html: htmlOf(content, stopUrl) };
}

function textOf({ title, sentences, lists, link }: MessageText, stopUrl: string | null): string {
  const parts = [
    title,
    sentences.join('\n'),
    ...lists.map((list) =>
      [`${list.title}:`, ...linesOf(list).map(({ text, url }) => `- ${text}${url === null ? '' : `\n  ${url}`}`)].join(
        '\n',
      ),
    ),
    link === null ? '' : `${link.text}: ${link.url}`,
    stopUrl === null ? '' : `-- \n${whyOf(stopUrl)} Unsubscribe: ${stopUrl}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function linked({ text, url }: Item): string {
  return url === null ? escapeMarkup(text) : `<a href="${escapeMarkup(url)}">${escapeMarkup(text)}</a>`;
}

function htmlOf({ title, sentences, lists, link }: MessageText, stopUrl: string | null): string {
  const items = (listed: readonly Item[]): string => listed.map((item) => `<li>${linked(item)}</li>`).join('\n');
  const parts = [
    `<h1 style="font-size: 1.25em">${escapeMarkup(title)}</h1>`,
    ...sentences.map((sentence) => `<p>${escapeMarkup(sentence)}</p>`),
    ...lists.map(
      (list) => `<h2 style="font-size: 1em">${escapeMarkup(list.title)}</h2>\n<ul>\n${items(linesOf(list))}\n</ul>`,
    ),
    link === null ? '' : `<p>${linked(link)}</p>`,
    stopUrl === null
      ? ''
      : `<hr>\n<p style="font-size: .875em">${escapeMarkup(whyOf(stopUrl))} <a href="${escapeMarkup(stopUrl)}">Unsubscribe</a></p>`,
  ];
  const body = parts.filter((part) => part !== '').join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
</head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">
<main>
${body}
</main>
</body>
</html>
`;
}
