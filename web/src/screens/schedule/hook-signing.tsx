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

/** Changes whether calls of the deploy hook must be signed, and with what. */
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
    if (made === null) say(chosen === null ? 'Calls need no signature now.' : 'Calls must be signed now.');
  };
  return (
    <div className={styles.signing}>
      <Button onClick={() => setOpen(true)}>
        {current === undefined ? 'Require signatures…' : 'Change signature or secret…'}
      </Button>
      {secret === null || current === undefined ? null : (
        <SecretOnce key={secret} title={`The secret for ${current.title}`} secret={secret}>
          <p>{current.where} The address of the webhook is that of the deploy hook.</p>
        </SecretOnce>
      )}
      <FormDialog
        title="Signatures of the deploy hook"
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
        label="Signatures of"
        name="deploy_hook_signature"
        hint="Addresses end up in logs and settings. A signature proves that a call comes from your service."
        error={errorOf('deploy_hook_signature')}
      >
        {(control) => (
          <select value={signature} onChange={({ target }) => setSignature(target.value)} {...control}>
            <option value="">none: the address is enough</option>
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
          label={isVercel ? 'Secret of Vercel' : 'Secret, if your service has made one'}
          name="deploy_hook_signing_secret"
          hint={
            isVercel
              ? signatureNamed(signature)?.where
              : 'Leave it empty to have one made, which is shown once. A secret before it stops working.'
          }
          error={errorOf('deploy_hook_signing_secret')}
        >
          {(control) => <input type="text" autoComplete="off" spellCheck={false} {...control} />}
        </Field>
      )}
    </>
  );
}
