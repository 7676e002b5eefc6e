import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { changeNotificationChannel } from '../api/changes/notification-channels.ts';
import type { Item } from '../api/client.ts';
import { useChange } from '../live/use-change.ts';
import { useToast } from '../parts/toast.tsx';
import { channelName } from './channel-state.tsx';

interface ChannelChanges {
  /** Pauses or resumes a channel, and shows the reason if that fails. */
  setActive(channel: Item<'notification_channel'>, active: boolean): Promise<void>;
  /** Reloads channels and their deliveries. */
  refresh(): Promise<void>;
}

/** Returns the actions on notification channels that several screens share. */
export function useChannelChanges(): ChannelChanges {
  const queries = useQueryClient();
  const change = useChange();
  const say = useToast();
  return useMemo(() => {
    const refresh = () => queries.invalidateQueries({ queryKey: ['notification_channels'] });
    return {
      refresh,
      async setActive(channel, active) {
        const isDone = await change(() => changeNotificationChannel(channel.id, { active }));
        if (isDone) say(`${channelName(channel)} is ${active ? 'active again' : 'paused'}.`);
        await refresh();
      },
    };
  }, [queries, change, say]);
}
