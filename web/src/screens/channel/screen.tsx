import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  changeNotificationChannel,
  deleteNotificationChannel,
  testNotificationChannel,
} from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { notificationChannelQuery } from '../../api/queries/notification-channels.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { ChannelForm } from '../../forms/channel-form/channel-form.tsx';
import type { ChannelSettings } from '../../forms/channel-form/read-fields.ts';
import { kindName } from '../../lib/notifications.ts';
import { QueryView } from '../../live/query-view.tsx';
import { useChange } from '../../live/use-change.ts';
import { usePathParams } from '../../live/use-route.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';
import { ChannelState, channelName } from '../../report/channel-state.tsx';
import { useChannelChanges } from '../../report/use-channel-changes.ts';
import { Deliveries } from './deliveries.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { StateNote } from './state-note.tsx';
import { TestResult } from './test-result.tsx';

/** One notification channel: its state, deliveries and settings. */
export function ChannelScreen() {
  const { channel: id } = usePathParams('/account/notifications/$channel');
  const channel = useQuery(notificationChannelQuery(id));
  return (
    <>
      {channel.data === undefined ? <PageHead title="Notification channel" back={<Back />} /> : null}
      <QueryView query={channel}>{(data) => <Channel key={data.id} channel={data} />}</QueryView>
    </>
  );
}

function Back() {
  return <Link to="/account/notifications">‹ Notifications</Link>;
}

function Channel({ channel }: { readonly channel: Item<'notification_channel'> }) {
  const { id, kind, target, status } = channel;
  const changes = useChannelChanges();
  const change = useChange();
  const navigate = useNavigate();
  const [test, setTest] = useState<string | null>(null);
  const name = channelName(channel);
  const sendTest = async (): Promise<void> => {
    await change(async () => setTest((await testNotificationChannel(id)).id));
    await changes.refresh();
  };
  const remove = async (): Promise<void> => {
    await deleteNotificationChannel(id);
    await navigate({ to: '/account/notifications' });
  };
  return (
    <>
      <PageHead
        title={name}
        back={<Back />}
        actions={
          <>
            {status === 'unconfirmed' ? null : <Button onClick={() => void sendTest()}>Send test</Button>}
            <Button onClick={() => void changes.setActive(channel, !channel.active)}>
              {channel.active ? 'Pause' : 'Resume'}
            </Button>
            <AskButton label="Delete…" look="danger" title={`Delete ${name}?`} action="Delete" run={remove}>
              <p>It will get no more messages. Pending messages and the list of its deliveries are deleted, too.</p>
            </AskButton>
          </>
        }
      >
        <ChannelState channel={channel} /> · {kindName(kind)}: {target}
      </PageHead>
      <TestResult channel={id} test={test} />
      <StateNote channel={channel} />
      <Deliveries channel={channel} />
      <Section title="Settings">
        <Settings channel={channel} />
      </Section>
      {kind === 'webhook' ? <SigningSecret channel={channel} /> : null}
    </>
  );
}

function Settings({ channel }: { readonly channel: Item<'notification_channel'> }) {
  const changes = useChannelChanges();
  const say = useToast();
  const save = async ({ webhook_url: url, ...settings }: ChannelSettings): Promise<void> => {
    // A new URL starts without the failures of the previous URL.
    const isNewUrl = url !== undefined && url !== (channel.webhook_url ?? '');
    await changeNotificationChannel(channel.id, { ...settings, ...(isNewUrl && { webhook_url: url }) });
    await changes.refresh();
    say('Saved.');
  };
  return <ChannelForm channel={channel} submitTitle="Save" onSubmit={save} />;
}
