import type { ChannelKind } from '../domain/notifications.ts';
import type { Message } from './message.ts';
import { type Words, wordsOf } from './words.ts';

/** Characters of a section of Slack's Block Kit. */
const SLACK_SECTION_MAX_CHARACTERS = 3_000;

/** Returns the JSON that is posted to the URL of a channel. */
export function bodyFor(kind: Exclude<ChannelKind, 'email'>, message: Message, baseUrl: string): string {
  switch (kind) {
    case 'webhook':
      return JSON.stringify(message);
    case 'slack':
      return JSON.stringify(slackMessage(wordsOf(message, baseUrl)));
    case 'teams':
      return JSON.stringify(teamsMessage(wordsOf(message, baseUrl)));
  }
}

/** A message of Slack's incoming webhooks: Block Kit, and a text for notifications. */
function slackMessage({ title, sentences, lists, link }: Words): object {
  const texts = [
    [`*${forSlack(title)}*`, ...sentences.map(forSlack)],
    ...lists.map((list) => [`*${forSlack(list.title)}*`, ...list.items.map((item) => `• ${forSlack(item)}`)]),
    ...(link === null ? [] : [[`<${link.url}|${forSlack(link.text)}>`]]),
  ];
  return {
    text: forSlack(title),
    blocks: texts.map((lines) => ({
      type: 'section',
      text: { type: 'mrkdwn', text: lines.join('\n').slice(0, SLACK_SECTION_MAX_CHARACTERS) },
    })),
  };
}

/** Escapes the three characters with which mentions and links begin and end. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A message of a Teams workflow: an Adaptive Card. The texts are in rich text blocks, which know no markup. */
function teamsMessage({ title, sentences, lists, link }: Words): object {
  const text = (line: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: line, ...style }],
  });
  const body = [
    text(title, { weight: 'Bolder', size: 'Medium' }),
    ...sentences.map((sentence) => text(sentence)),
    ...lists.flatMap((list) => [
      text(list.title, { weight: 'Bolder' }),
      ...list.items.map((item) => ({ ...text(`• ${item}`), spacing: 'Small' })),
    ]),
  ];
  const actions = link === null ? [] : [{ type: 'Action.OpenUrl', title: link.text, url: link.url }];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: title,
    body,
    actions,
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
