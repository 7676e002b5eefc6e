import { Link } from '@tanstack/react-router';
import { usePreference } from '../live/preferences.ts';
import { offeredKeys } from '../live/use-keys.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import styles from './frame.module.css';

const EVERYWHERE = [
  ['Ctrl K', 'Search (⌘ K on a Mac)'],
  ['F6', 'Next pane'],
  ['Esc', 'Close'],
] as const;

/** All shortcuts that work now. */
export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [keys] = usePreference('keys');
  const single = new Map(isOpen ? offeredKeys().map(({ key, title }) => [key, title]) : []);
  return (
    <Dialog
      title="Keyboard shortcuts"
      isOpen={isOpen}
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <KeyTable
        caption="Everywhere"
        keys={[...EVERYWHERE, ...(keys === 'on' ? [['?', 'Show this list'] as const] : [])]}
      />
      {keys === 'on' && single.size > 0 ? (
        <KeyTable caption="On this screen, when its list or source has focus" keys={[...single]} />
      ) : null}
      <p>
        {keys === 'on' ? 'You can turn off single-key shortcuts' : 'Single-key shortcuts are off. Turn them on'} under{' '}
        <Link to="/account" onClick={onClose}>
          Account
        </Link>
        .
      </p>
    </Dialog>
  );
}

function KeyTable({
  caption,
  keys,
}: {
  readonly caption: string;
  readonly keys: readonly (readonly [key: string, title: string])[];
}) {
  return (
    <table className={styles.keys}>
      <caption>{caption}</caption>
      <tbody>
        {keys.map(([key, title]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{title}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
