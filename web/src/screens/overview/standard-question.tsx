import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { StandardForm } from '../../forms/standard-form.tsx';
import { Section } from '../../parts/section.tsx';

/**
 * Asks once which standard the account has to meet. A choice is saved at once, since the next report may be started without
 * saving it; the question stays until the screen is left.
 */
export function StandardQuestion({ account }: { readonly account: Item<'account'> | undefined }) {
  const [isAnswered, setAnswered] = useState(false);
  if (account === undefined || (account.standard_chosen && !isAnswered)) return null;
  return (
    <Section title="Which standard do you have to meet?">
      <StandardForm account={account} label="Accessibility standard" savesAtOnce onSaved={() => setAnswered(true)} />
      <p role="status">{isAnswered ? 'Saved. You can change it in your account.' : null}</p>
    </Section>
  );
}
