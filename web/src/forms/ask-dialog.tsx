import { type ReactNode, useState } from 'react';
import { reasonOf } from '../lib/formats.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/notes.tsx';

/** Asks before something that nothing brings back. It stays open with the reason if the service refuses. */
export function AskDialog({
  title,
  action,
  isOpen,
  onClose,
  run,
  children,
}: {
  /** The question. */
  readonly title: string;
  /** What the button says that does it. */
  readonly action: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly run: () => Promise<void>;
  /** What will happen. */
  readonly children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const close = (): void => {
    setRefusal(null);
    onClose();
  };
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await run();
      close();
      requestAnimationFrame(focusHeading);
    } catch (error) {
      setRefusal(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="danger" isBusy={isBusy} onClick={() => (isBusy ? undefined : void confirm())}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {refusal === null ? null : <ErrorNote title="This could not be done" detail={refusal} />}
    </Dialog>
  );
}

/** A button that asks before something that nothing brings back. */
export function AskButton({
  label,
  look,
  name,
  ...dialog
}: Omit<Parameters<typeof AskDialog>[0], 'isOpen' | 'onClose'> & {
  /** What the button says that asks. */
  readonly label: string;
  readonly look?: 'danger';
  /** The name of the button, where its label does not tell what it is about. */
  readonly name?: string;
}) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button {...(look && { look })} aria-label={name} onClick={() => setAsked(true)}>
        {label}
      </Button>
      <AskDialog {...dialog} isOpen={isAsked} onClose={() => setAsked(false)} />
    </>
  );
}

/** The button that opened the dialog may be gone with what it was about. */
function focusHeading(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
}
