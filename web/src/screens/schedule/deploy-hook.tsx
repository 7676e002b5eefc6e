import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { signatureNamed } from '../../lib/hook-signatures.ts';
import { hookCalls } from '../../lib/schedules.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Section } from '../../parts/section.tsx';
import { HookSigning } from './hook-signing.tsx';
import styles from './screen.module.css';

/** The deploy hook URL of a schedule, which is a secret, with ways to call it and to require signatures. */
export function DeployHook({ schedule, url }: { readonly schedule: Item<'schedule'>; readonly url: string }) {
  const [isShown, setShown] = useState(false);
  const signature = signatureNamed(schedule.deploy_hook_signature);
  // A pipeline that only has the URL cannot sign calls.
  const calls = signature === undefined ? hookCalls(url) : [];
  const [title, setTitle] = useState<string | null>(null);
  const call = calls.find((each) => each.title === title);
  return (
    <Section title="Deploy hook">
      {signature === undefined ? (
        <p>A POST request to this URL starts a run. Anyone who has the URL can start runs, so keep it secret.</p>
      ) : (
        <p>
          A POST request to this URL starts a run. Calls must be signed like {signature.how}, with the secret that was
          shown when signatures were set up.
        </p>
      )}
      <pre className={styles.hook}>{isShown ? url : hidden(url)}</pre>
      <div className={styles.actions}>
        <Button aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
        <CopyButton text={url} title="Copy URL" />
        {calls.map((each) => (
          <Button
            key={each.title}
            aria-pressed={each.title === title}
            onClick={() => setTitle(each.title === title ? null : each.title)}
          >
            {each.title}
          </Button>
        ))}
      </div>
      {call === undefined ? null : (
        <div className={styles.call}>
          {call.before === null ? null : <p>{call.before}</p>}
          <pre>{isShown ? call.text : call.text.replace(url, hidden(url))}</pre>
          <CopyButton text={call.text} title={`Copy for ${call.title}`} />
        </div>
      )}
      <HookSigning schedule={schedule} />
    </Section>
  );
}

/** Returns the URL without its secret. */
function hidden(url: string): string {
  return url.replace(/[^/]+\/fire$/, '••••/fire');
}
