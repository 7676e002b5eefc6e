import { change, create, type Item } from '../client.ts';

export type Rules = Item<'retention'>['rules'];

/** Replaces the rules of the account. */
export function saveRules(rules: Rules): Promise<Item<'retention'>> {
  return change<'retention'>('/retention', { rules });
}

/** Returns what rules would delete now. */
export function previewRules(rules: Rules): Promise<Item<'retention_preview'>> {
  return create<'retention_preview'>('/retention/previews', { rules }, null);
}
