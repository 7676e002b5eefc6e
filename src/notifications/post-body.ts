import type { ChannelKind } from '../domain/notifications.ts';
import type { Message } from './compose-message.ts';
import { messageText } from './digest-text.ts';
import { type Item, linesOf, type MessageText } from './event-text.ts';

/** Maximum number of characters in a section of Slack's Block Kit. */
const SLACK_SECTION_MAX_CHARACTERS = 3_000;
/** Teams refuses messages of more than 28 KB. */
const TEAMS_MESSAGE_MAX_BYTES = 28_000;

/** Returns the JSON that is posted to the URL of a channel. */
export function postBody(kind: Exclude<ChannelKind, 'email'>, message: Message, baseUrl: string): string {
  switch (kind) {
    case 'webhook':
      return JSON.stringify(message);
    case 'slack':
      return JSON.stringify(slackMessage(messageText(message, baseUrl)));
    case 'teams':
      return teamsBody(messageText(message, baseUrl));
  }
}

/** A message of Slack's incoming webhooks: Block Kit, and a text for notifications. */
function slackMessage({ title, sentences, lists, link }: MessageText): object {
  const texts = [
    [`*${forSlack(title)}*`, ...sentences.map(forSlack)],
    ...lists.map((list) => [`*${forSlack(list.title)}*`, ...linesOf(list).map((item) => `• ${linked(item)}`)]),
    ...(link === null ? [] : [[linked(link)]]),
  ];
  return {
    text: forSlack(title),
    blocks: texts.flatMap(inSections).map((text) => ({ type: 'section', text: mrkdwn(text) })),
  };
}

/** Verbatim, so that Slack does not turn texts from a site into links and mentions. */
function mrkdwn(text: string): object {
  return { type: 'mrkdwn', text, verbatim: true };
}

function linked({ text, url }: Item): string {
  return url === null ? forSlack(text) : `<${url}|${forSlack(text)}>`;
}

/** Joins lines into as few texts as possible. No line is longer than a section. */
function inSections(lines: readonly string[]): string[] {
  const sections: string[] = [];
  for (const line of lines) {
    const last = sections.at(-1);
    const joined = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && joined.length <= SLACK_SECTION_MAX_CHARACTERS) sections[sections.length - 1] = joined;
    else sections.push(line);
  }
  return sections;
}

/** Escapes the three control characters of Slack's mentions and links. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns a Teams message with as many items of its lists as fit, and the number of items that it leaves out. */
function teamsBody(text: MessageText): string {
  const body = JSON.stringify(teamsMessage(text));
  const last = text.lists.findLastIndex(({ items }) => items.length > 1);
  if (last === -1 || Buffer.byteLength(body) <= TEAMS_MESSAGE_MAX_BYTES) return body;
  const shorter = text.lists.map((list, index) =>
    index === last ? { ...list, items: list.items.slice(0, -1), left: list.left + 1 } : list,
  );
  return teamsBody({ ...text, lists: shorter });
}

/** A message of a Teams workflow: an Adaptive Card. The texts are in rich text blocks, which do not interpret markup. */
function teamsMessage({ title, sentences, lists, link }: MessageText): object {
  const text = (line: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: line, ...style }],
  });
  const itemOf = ({ text: line, url }: Item) => ({
    ...text(`• ${line}`, url === null ? {} : { selectAction: { type: 'Action.OpenUrl', url } }),
    spacing: 'Small',
  });
  const body = [
    text(title, { weight: 'Bolder', size: 'Medium' }),
    ...sentences.map((sentence) => text(sentence)),
    ...lists.flatMap((list) => [text(list.title, { weight: 'Bolder' }), ...linesOf(list).map(itemOf)]),
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
