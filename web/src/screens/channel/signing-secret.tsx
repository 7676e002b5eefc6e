import { useState } from 'react';
import { replaceSigningSecret } from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Section } from '../../parts/section.tsx';

/** The secret that signs the messages of a webhook: it can be replaced, and is shown then. */
export function SigningSecret({ channel: { id } }: { readonly channel: Item<'notification_channel'> }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section title="Signing secret">
      <p>
        Messages are signed as <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> says. The secret was
        shown when it was made. If it is lost, or others know it, replace it.
      </p>
      <div>
        <AskButton
          label="Replace secret…"
          title="Replace the secret?"
          action="Replace"
          run={async () => {
            const { signing_secret: made } = await replaceSigningSecret(id);
            setSecret(made ?? null);
          }}
        >
          <p>Your program needs the new secret within 24 hours. Until then, messages are signed with both.</p>
        </AskButton>
      </div>
      {secret === null ? null : (
        <SecretOnce key={secret} title="The new secret" secret={secret}>
          <p>For 24 hours, messages are also signed with the secret before.</p>
        </SecretOnce>
      )}
    </Section>
  );
}
