import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { changeNotificationChannel } from '../api/changes/notification-channels.ts';
import type { Item } from '../api/client.ts';
import { useChange } from '../live/use-change.ts';
import { useToast } from '../parts/toast.tsx';
import { channelName } from './channel-state.tsx';

interface ChannelChanges {
  /** Pauses a channel or goes on with it, and says why if that is refused. */
  setActive(channel: Item<'notification_channel'>, active: boolean): Promise<void>;
  /** Reads channels and their deliveries again. */
  refresh(): Promise<void>;
}

/** Returns what can be done with notification channels in more than one screen. */
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
