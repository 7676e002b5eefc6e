import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { New } from 'sitewarden-client';
import { createNotificationChannel } from '../../api/changes/notification-channels.ts';
import { ChannelForm } from '../../forms/channel-form/channel-form.tsx';
import type { ChannelSettings } from '../../forms/channel-form/read-fields.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

/** Creates a notification channel. This is the only screen that shows the secret of a webhook. */
export function NewChannelScreen() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const save = async (settings: ChannelSettings): Promise<void> => {
    const channel = await createNotificationChannel(settings as New<'notification_channel'>);
    await queries.invalidateQueries({ queryKey: ['notification_channels'] });
    if (channel.signing_secret === undefined) await navigate({ to: `/account/notifications/${channel.id}` });
    else setCreated({ id: channel.id, secret: channel.signing_secret });
  };
  return (
    <>
      <PageHead
        title={created === null ? 'New notification channel' : 'Channel created'}
        back={<Link to="/account/notifications">‹ Notifications</Link>}
      />
      {created === null ? (
        <ChannelForm submitTitle="Create channel" onSubmit={save} />
      ) : (
        <SecretOnce title="Signing secret" secret={created.secret}>
          <p>
            Your program uses it to verify that messages come from this service. Store it there, and then send a test.
          </p>
          <Link to={`/account/notifications/${created.id}`} className={buttonClass('main')}>
            Open the channel
          </Link>
        </SecretOnce>
      )}
    </>
  );
}
