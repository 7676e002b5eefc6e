import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DEFAULT_EVENTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { CHANNEL_KINDS, type ChannelKind, WORSE_REASONS } from '../../lib/notifications.ts';
import { accountEvents } from '../../live/destinations.ts';
import { CheckGroup } from '../../parts/check-group.tsx';
import { Field } from '../../parts/field.tsx';
import { Options } from '../../parts/options.tsx';
import { Form } from '../form.tsx';
import { type ErrorOf, useForm } from '../use-form.tsx';
import { DigestFields } from './digest-fields.tsx';
import { type ChannelSettings, settingsIn } from './read-fields.ts';
import { ScheduleChoice } from './schedule-choice.tsx';

/** The settings of a notification channel. The fields keep their text until the service accepts it. */
export function ChannelForm({
  channel = null,
  submitTitle,
  onSubmit,
}: {
  /** The channel to edit; null for a new one. */
  readonly channel?: Item<'notification_channel'> | null;
  readonly submitTitle: string;
  /** Saves the settings; throws ApiError with the names of invalid fields. */
  readonly onSubmit: (settings: ChannelSettings) => Promise<void>;
}) {
  const form = useForm((fields) => onSubmit(settingsIn(fields)));
  const { errorOf } = form;
  return (
    <Form form={form} action={submitTitle}>
      {channel === null ? <NewTarget errorOf={errorOf} /> : <Target channel={channel} errorOf={errorOf} />}
      <Field label="Name" name="name" hint="Such as “Web team”." error={errorOf('name')}>
        {(control) => <input type="text" autoComplete="off" defaultValue={channel?.name ?? ''} {...control} />}
      </Field>
      <EventFields channel={channel} errorOf={errorOf} />
      <ScheduleChoice chosen={channel?.schedule_ids ?? []} errorOf={errorOf} />
      <DigestFields channel={channel} errorOf={errorOf} />
    </Form>
  );
}

/** The type of a new channel and its destination. */
function NewTarget({ errorOf }: { readonly errorOf: ErrorOf }) {
  const installation = useQuery(installationQuery);
  const [kind, setKind] = useState<ChannelKind>('webhook');
  const sendsEmail = installation.data?.sends_mail === true;
  // The account's own address may be unverified: anyone can sign up with another person's address.
  const isOpen = installation.data?.sign_up === 'open';
  const kinds = CHANNEL_KINDS.filter(([each]) => each !== 'email' || sendsEmail);
  const noEmail = 'To use email, the operator of this installation must first set up a mail server.';
  return (
    <>
      <Field
        label="Messages go to"
        name="kind"
        hint={sendsEmail || installation.data === undefined ? undefined : noEmail}
        error={errorOf('kind')}
      >
        {(control) => (
          <select
            value={kind}
            onChange={({ target }) => setKind(kinds.find(([each]) => each === target.value)?.[0] ?? 'webhook')}
            {...control}
          >
            <Options of={kinds} />
          </select>
        )}
      </Field>
      {kind === 'email' ? (
        <Field
          label="Email address"
          name="email"
          hint={`${isOpen ? 'The owner of the address' : 'If it is not the address of your account, its owner'} must first confirm it with a link that we email.`}
          error={errorOf('email')}
        >
          {(control) => <input type="email" autoComplete="off" {...control} />}
        </Field>
      ) : (
        <UrlField kind={kind} errorOf={errorOf} />
      )}
    </>
  );
}

/** The destination of a channel. An email address cannot be changed; a URL can. */
function Target({
  channel: { kind, target, webhook_url: url },
  errorOf,
}: {
  readonly channel: Item<'notification_channel'>;
  readonly errorOf: ErrorOf;
}) {
  if (kind === 'email') {
    return <p>Emails go to {target}. To use another address, create another channel.</p>;
  }
  const lost = url === undefined ? 'The stored URL can no longer be read. Enter it again.' : undefined;
  return <UrlField kind={kind} value={url ?? ''} note={lost} errorOf={errorOf} />;
}

function UrlField({
  kind,
  value = '',
  note,
  errorOf,
}: {
  readonly kind: ChannelKind;
  readonly value?: string;
  /** Replaces the field for the destination, if given. */
  readonly note?: ReactNode;
  readonly errorOf: ErrorOf;
}) {
  const hint = note ?? CHANNEL_KINDS.find(([each]) => each === kind)?.[2];
  return (
    <Field label="URL" name="webhook_url" hint={hint} error={errorOf('webhook_url')}>
      {(control) => <input type="url" autoComplete="off" spellCheck={false} defaultValue={value} {...control} />}
    </Field>
  );
}

/** The events that a channel is notified about, and when a scheduled report counts as worse. */
function EventFields({
  channel,
  errorOf,
}: {
  readonly channel: Item<'notification_channel'> | null;
  readonly errorOf: ErrorOf;
}) {
  const account = useQuery(accountQuery);
  const chosen: readonly string[] = channel?.events ?? DEFAULT_EVENTS;
  const choices = accountEvents(account.data);
  const [includesWorse, setIncludesWorse] = useState(chosen.includes('schedule.got_worse'));
  return (
    <>
      <CheckGroup
        legend="Notify when"
        name="events"
        choices={choices.map(([event, title]) => [event, title])}
        chosen={chosen}
        error={errorOf('events')}
        onChange={(event, isChosen) => (event === 'schedule.got_worse' ? setIncludesWorse(isChosen) : undefined)}
      />
      {/* Events that cannot occur now keep their settings in case they can occur again. */}
      {chosen.map((event) =>
        choices.some(([each]) => each === event) ? null : (
          <input key={event} type="hidden" name="events" value={event} />
        ),
      )}
      {includesWorse ? (
        <CheckGroup
          legend="A report is worse when"
          name="worse_when"
          choices={WORSE_REASONS}
          chosen={channel?.worse_when ?? WORSE_REASONS.map(([reason]) => reason)}
          error={errorOf('worse_when')}
        />
      ) : null}
    </>
  );
}
