/** How a state of a page was reached: one step for each element that was opened, the outermost first. */
export type OpeningStep = Readonly<{
  action: 'click' | 'hover' | 'Enter' | 'ArrowDown' | 'ArrowRight';
  /** The role of the element, or the name of its tag. */
  role: string;
  /** Its name for people; if it has none, its start tag with the attributes that fit. */
  name: string;
  /** Whether `name` is its name. */
  named: boolean;
}>;

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  gridcell: 'cell',
  input: 'field',
  menuitem: 'menu item',
  menuitemcheckbox: 'menu item',
  menuitemradio: 'menu item',
  summary: 'summary',
  tr: 'row',
  treeitem: 'tree item',
};
const WORDED = ['button', 'combobox', 'link', 'row', 'tab', 'field'];

/** Returns how a state was reached, in words: `Click the button “Menu”, then the tab “Details”`. */
export function reachedByText(steps: readonly OpeningStep[]): string {
  const [first, ...others] = steps.map(({ action, role, name, named }, index) => {
    const what = ROLES[role] ?? (WORDED.includes(role) ? role : 'element');
    const element = named ? `the ${what} “${name}”` : `the ${what} ${name}`;
    return index > 0 && action === steps[index - 1]?.action ? element : `${verbOf(action)} ${element}`;
  });
  const text = [first ?? '', ...others].join(', then ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function verbOf(action: OpeningStep['action']): string {
  if (action === 'click') return 'click';
  if (action === 'hover') return 'point at';
  return `press ${action} on`;
}
