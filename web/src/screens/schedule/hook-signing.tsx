import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { signDeployHook } from '../../api/changes/schedules.ts';
import type { Item } from '../../api/client.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { SIGNATURES, signatureNamed } from '../../lib/hook-signatures.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useToast } from '../../parts/toast.tsx';
import styles from './screen.module.css';

/** Sets whether calls to the deploy hook must be signed, and with which secret. */
export function HookSigning({ schedule }: { readonly schedule: Item<'schedule'> }) {
  const queries = useQueryClient();
  const say = useToast();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const current = signatureNamed(schedule.deploy_hook_signature);
  const save = async (fields: FormData): Promise<void> => {
    const chosen = signatureNamed(String(fields.get('deploy_hook_signature')))?.name ?? null;
    const given = String(fields.get('deploy_hook_signing_secret') ?? '').trim();
    const made = await signDeployHook(schedule.id, chosen, given);
    setSecret(made);
    await queries.invalidateQueries({ queryKey: ['schedules'] });
    if (made === null) say(chosen === null ? 'Calls no longer need a signature.' : 'Calls must now be signed.');
  };
  return (
    <div className={styles.signing}>
      <Button onClick={() => setOpen(true)}>
        {current === undefined ? 'Require signatures…' : 'Change signature or secret…'}
      </Button>
      {secret === null || current === undefined ? null : (
        <SecretOnce key={secret} title={`The secret for ${current.title}`} secret={secret}>
          <p>{current.where} Use the URL of the deploy hook as the URL of the webhook.</p>
        </SecretOnce>
      )}
      <FormDialog
        title="Deploy hook signatures"
        action="Save"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={save}
      >
        {(errorOf) => <SigningFields current={schedule.deploy_hook_signature} errorOf={errorOf} />}
      </FormDialog>
    </div>
  );
}

function SigningFields({
  current,
  errorOf,
}: {
  readonly current: Item<'schedule'>['deploy_hook_signature'];
  readonly errorOf: ErrorOf;
}) {
  const [signature, setSignature] = useState<string>(current ?? 'github');
  const isVercel = signature === 'vercel';
  return (
    <>
      <Field
        label="Signature format"
        name="deploy_hook_signature"
        hint="URLs appear in logs and settings. A signature proves that a call comes from your service."
        error={errorOf('deploy_hook_signature')}
      >
        {(control) => (
          <select value={signature} onChange={({ target }) => setSignature(target.value)} {...control}>
            <option value="">none: the URL is enough</option>
            {SIGNATURES.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {signature === '' ? null : (
        <Field
          label={isVercel ? 'Vercel secret' : 'Secret, if your service generated one'}
          name="deploy_hook_signing_secret"
          hint={
            isVercel
              ? signatureNamed(signature)?.where
              : 'Leave it empty to generate a secret, which is shown once. The previous secret stops working.'
          }
          error={errorOf('deploy_hook_signing_secret')}
        >
          {(control) => <input type="text" autoComplete="off" spellCheck={false} {...control} />}
        </Field>
      )}
    </>
  );
}
