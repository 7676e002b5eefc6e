import type { Item } from '../api/client.ts';
import { type Severity, SeverityGlyph } from '../parts/severity.tsx';

type Channel = Item<'notification_channel'>;

/** The state of a channel, with a shape. */
export function ChannelState({ channel }: { readonly channel: Channel }) {
  const [sign, words] = stateOf(channel);
  return (
    <span>
      <SeverityGlyph of={sign} /> {words}
    </span>
  );
}

function stateOf({ status, paused_at: pausedAt, error_code: code }: Channel): readonly [sign: Severity, words: string] {
  switch (status) {
    case 'working':
      return ['passed', 'active'];
    case 'failing':
      return ['warning', 'active, but the last attempt failed'];
    case 'paused':
      return pausedAt === null ? ['unchecked', 'paused by you'] : ['failed', 'paused by the service'];
    case 'unconfirmed':
      return code === 'recipient_stopped'
        ? ['failed', 'unsubscribed by the recipient']
        : ['running', 'waiting for confirmation'];
  }
}

/** Returns the name of a channel, or its destination if it has none. */
export function channelName({ name, target }: Pick<Channel, 'name' | 'target'>): string {
  return name === '' ? target : name;
}
