import type { EditedPart } from '../../page-source/edited-element.ts';
import type { SharedEdit } from '../engine-description.ts';

/** Edits that fix issues of several rules, each with its rules. */
const SHARED: readonly (readonly [edit: SharedEdit, rules: readonly string[]])[] = [
  [
    { what: 'alternative text', of: 'element' },
    ['image-alt', 'role-img-alt', 'svg-img-alt', 'area-alt', 'input-image-alt'],
  ],
  [
    { what: 'alternative text', of: 'image' },
    ['link-name', 'button-name', 'summary-name', 'aria-command-name', 'empty-heading'],
  ],
  [{ what: 'heading level', of: 'element' }, ['heading-order']],
  [{ what: 'language code', of: 'element' }, ['html-lang-valid', 'valid-lang']],
  [{ what: 'role', of: 'element' }, ['aria-roles']],
];

const EDITS: ReadonlyMap<string, SharedEdit> = new Map(
  SHARED.flatMap(([edit, rules]) => rules.map((rule) => [rule, edit] as const)),
);

/** Returns the edit that fixes issues of a rule, if it also fixes issues of other rules. */
export function sharedEditOf(rule: string): SharedEdit | null {
  return EDITS.get(rule) ?? null;
}

/** Returns what has to be edited for an issue of a rule. */
export function editedPartOf(rule: string): EditedPart {
  return rule === 'region' ? 'surroundings' : (EDITS.get(rule)?.of ?? 'element');
}
