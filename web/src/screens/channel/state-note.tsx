import { LIMITS } from 'sitewarden-client/values';
import { askAddressAgain } from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { dateTime } from '../../lib/formats.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useChannelChanges } from '../../report/use-channel-changes.ts';

type Channel = Item<'notification_channel'>;

/** Why a channel does not get all messages, and what to do. Empty for a working channel. */
export function StateNote({ channel }: { readonly channel: Channel }) {
  switch (channel.status) {
    case 'working':
      return null;
    case 'failing':
      return <Failing channel={channel} />;
    case 'paused':
      return <Paused channel={channel} />;
    case 'unconfirmed':
      return <Unconfirmed channel={channel} />;
  }
}

function Failing({ channel: { kind, error, failing_since: since } }: { readonly channel: Channel }) {
  return (
    <EmptyState title={since === null ? 'The last attempt failed' : `Deliveries have failed since ${dateTime(since)}`}>
      {error === null ? null : <p>{error}</p>}
      <p>
        Each message is retried for a day, at increasing intervals.
        {kind === 'email' ? '' : ' After three days without a successful delivery, the service pauses the channel.'}
      </p>
    </EmptyState>
  );
}

function Paused({ channel: { error, paused_at: pausedAt } }: { readonly channel: Channel }) {
  return (
    <EmptyState
      title={pausedAt === null ? 'This channel is paused' : `The service paused this channel on ${dateTime(pausedAt)}`}
    >
      {error === null ? null : <p>{error}</p>}
      <p>
        It gets only test messages.{' '}
        {pausedAt === null
          ? `When you resume it, it gets pending messages that are up to ${LIMITS.deliveryKeptDays} days old.`
          : `Fix the problem, send a test, and resume it. It then gets pending messages that are up to ${LIMITS.deliveryKeptDays} days old.`}
      </p>
    </EmptyState>
  );
}

function Unconfirmed({ channel: { id, target, error, error_code: code } }: { readonly channel: Channel }) {
  const changes = useChannelChanges();
  const change = useChange();
  const say = useToast();
  const askAgain = async (): Promise<void> => {
    const isAsked = await change(() => askAddressAgain(id));
    if (isAsked) say(`Another email was sent to ${target}.`);
    await changes.refresh();
  };
  if (code === 'recipient_stopped') {
    return (
      <EmptyState title="The recipient has unsubscribed">
        <p>To subscribe again, the recipient must open the link in the first email to {target}.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`Waiting for confirmation from ${target}`}>
      {error === null ? null : <p>{error}</p>}
      <p>
        We sent a link to this address. No messages are sent until its owner opens the link and confirms the address. If
        the email was lost, you can send it again, once per hour.
      </p>
      <Button onClick={() => void askAgain()}>Send the email again</Button>
    </EmptyState>
  );
}
