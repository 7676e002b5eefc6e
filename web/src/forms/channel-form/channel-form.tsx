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

/** The settings of a notification channel. What is typed stays until it is accepted. */
export function ChannelForm({
  channel = null,
  submitTitle,
  onSubmit,
}: {
  /** The channel that is changed; null for a new one. */
  readonly channel?: Item<'notification_channel'> | null;
  readonly submitTitle: string;
  /** Saves the settings; throws ApiError with the names of the fields that are wrong. */
  readonly onSubmit: (settings: ChannelSettings) => Promise<void>;
}) {
  const form = useForm((fields) => onSubmit(settingsIn(fields)));
  const { errorOf } = form;
  return (
    <Form form={form} action={submitTitle}>
      {channel === null ? <NewTarget errorOf={errorOf} /> : <Target channel={channel} errorOf={errorOf} />}
      <Field label="Name" name="name" hint="To recognize it by, such as “Web team”." error={errorOf('name')}>
        {(control) => <input type="text" autoComplete="off" defaultValue={channel?.name ?? ''} {...control} />}
      </Field>
      <EventFields channel={channel} errorOf={errorOf} />
      <ScheduleChoice chosen={channel?.schedule_ids ?? []} errorOf={errorOf} />
      <DigestFields channel={channel} errorOf={errorOf} />
    </Form>
  );
}

/** The kind of a new channel, and where it leads. */
function NewTarget({ errorOf }: { readonly errorOf: ErrorOf }) {
  const installation = useQuery(installationQuery);
  const [kind, setKind] = useState<ChannelKind>('webhook');
  const sendsMail = installation.data?.sends_mail === true;
  // Anyone could have signed up with an address of somebody else.
  const isOpen = installation.data?.sign_up === 'open';
  const kinds = CHANNEL_KINDS.filter(([each]) => each !== 'email' || sendsMail);
  const noMail = 'Email can be chosen here once the operator of this installation has set up a mail server.';
  return (
    <>
      <Field
        label="Messages go to"
        name="kind"
        hint={sendsMail || installation.data === undefined ? undefined : noMail}
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
          hint={`${isOpen ? 'Its owner' : 'If it is not the address of your account, its owner'} gets a mail with a link first, and nothing else before confirming.`}
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

/** Where a channel leads. An address stays; a URL can be changed. */
function Target({
  channel: { kind, target, webhook_url: url },
  errorOf,
}: {
  readonly channel: Item<'notification_channel'>;
  readonly errorOf: ErrorOf;
}) {
  if (kind === 'email') {
    return <p>Mails go to {target}. For another address, create another channel.</p>;
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
  /** What is said in place of what the kind asks for. */
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

/** What a channel is told, and when a schedule counts as worse. */
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
  const [toldWorse, setToldWorse] = useState(chosen.includes('schedule.got_worse'));
  return (
    <>
      <CheckGroup
        legend="Tell it when"
        name="events"
        choices={choices.map(([event, title]) => [event, title])}
        chosen={chosen}
        error={errorOf('events')}
        onChange={(event, isChosen) => (event === 'schedule.got_worse' ? setToldWorse(isChosen) : undefined)}
      />
      {/* What cannot happen now stays as it is, for the day when it can. */}
      {chosen.map((event) =>
        choices.some(([each]) => each === event) ? null : (
          <input key={event} type="hidden" name="events" value={event} />
        ),
      )}
      {toldWorse ? (
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
