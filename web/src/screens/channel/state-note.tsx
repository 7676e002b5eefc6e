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

/** Why a channel is not told everything, and how it goes on. Nothing for one that works. */
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
    <EmptyState title={since === null ? 'The last attempt failed' : `Nothing was delivered since ${dateTime(since)}`}>
      {error === null ? null : <p>{error}</p>}
      <p>
        Messages are tried again for a day, with longer and longer pauses.
        {kind === 'email' ? '' : ' After three days without a delivery, the service pauses the channel.'}
      </p>
    </EmptyState>
  );
}

function Paused({ channel: { error, paused_at: pausedAt } }: { readonly channel: Channel }) {
  return (
    <EmptyState title={pausedAt === null ? 'You have paused it' : `The service paused it on ${dateTime(pausedAt)}`}>
      {error === null ? null : <p>{error}</p>}
      <p>
        It is told nothing but tests.{' '}
        {pausedAt === null
          ? `When you resume it, it gets what still waits, up to ${LIMITS.deliveryKeptDays} days old.`
          : `Put right what failed, send a test, and resume it. Then it gets what still waits, up to ${LIMITS.deliveryKeptDays} days old.`}
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
    if (isAsked) say(`Another mail is on its way to ${target}.`);
    await changes.refresh();
  };
  if (code === 'recipient_stopped') {
    return (
      <EmptyState title="The recipient has ended these mails">
        <p>Only the link in the first mail to {target} begins them again.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`Waiting for the owner of ${target}`}>
      {error === null ? null : <p>{error}</p>}
      <p>
        A mail with a link was sent there, and nothing else is sent before its owner has opened the link and confirmed.
        If the mail was lost, it can be sent again, once an hour.
      </p>
      <Button onClick={() => void askAgain()}>Send the mail again</Button>
    </EmptyState>
  );
}
