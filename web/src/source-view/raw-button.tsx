import { Button } from '../parts/button.tsx';

/** How long the browser has to open the text. */
const urlMs = 60_000;

/** Opens a text as such in a tab of its own, to be searched and saved with what the browser has. */
export function RawButton({ text }: { readonly text: string }) {
  const open = (): void => {
    // As plain text, nothing in it runs.
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    window.open(url, '_blank');
    setTimeout(() => URL.revokeObjectURL(url), urlMs);
  };
  return (
    <Button look="quiet" onClick={open}>
      Raw
      <span aria-hidden="true"> ↗</span>
      <span className="visually-hidden"> in a new tab</span>
    </Button>
  );
}
