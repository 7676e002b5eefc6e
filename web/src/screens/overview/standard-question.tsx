import type { Item } from '../../api/client.ts';
import { StandardForm } from '../../forms/standard-form.tsx';
import { Section } from '../../parts/section.tsx';

/** Asks once which standard the account has to meet. */
export function StandardQuestion({ account }: { readonly account: Item<'account'> | undefined }) {
  if (account === undefined || account.standard_chosen) return null;
  return (
    <Section title="Which standard do you have to meet?">
      <StandardForm account={account} label="Accessibility standard" />
    </Section>
  );
}
