import { useState } from 'react';
import { LIMITS } from 'sitewarden-client/values';
import { replaceSigningSecret } from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Section } from '../../parts/section.tsx';

/** The secret that signs the messages of a webhook. Replacing it shows the new one. */
export function SigningSecret({ channel: { id } }: { readonly channel: Item<'notification_channel'> }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section title="Signing secret">
      <p>
        Messages are signed according to <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>. The secret
        was shown when the channel was created. Replace it if it is lost or no longer secret.
      </p>
      <div>
        <AskButton
          label="Replace secret…"
          title="Replace the signing secret?"
          action="Replace"
          run={async () => {
            const { signing_secret: made } = await replaceSigningSecret(id);
            setSecret(made ?? null);
          }}
        >
          <p>
            Update your program with the new secret within {LIMITS.formerSecretHours} hours. Until then, messages are
            signed with both.
          </p>
        </AskButton>
      </div>
      {secret === null ? null : (
        <SecretOnce key={secret} title="Your new signing secret" secret={secret}>
          <p>For {LIMITS.formerSecretHours} hours, messages are also signed with the previous secret.</p>
        </SecretOnce>
      )}
    </Section>
  );
}
