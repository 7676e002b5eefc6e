import { type ReactNode, useState } from 'react';
import { reasonOf } from '../lib/formats.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/notes.tsx';
import { useFailure } from './use-failure.ts';

/** Asks for confirmation of an action that cannot be undone. If the request fails, the dialog stays open and shows the reason. */
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
  /** The label of the button that confirms. */
  readonly action: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly run: () => Promise<void>;
  /** The consequences. */
  readonly children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useFailure();
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
      setRefusal(error);
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
      {refusal === null ? null : <ErrorNote title="This action failed" detail={reasonOf(refusal)} />}
    </Dialog>
  );
}

/** A button that asks for confirmation of an action that cannot be undone. */
export function AskButton({
  label,
  look,
  name,
  ...dialog
}: Omit<Parameters<typeof AskDialog>[0], 'isOpen' | 'onClose'> & {
  /** The label of the button that opens the dialog. */
  readonly label: string;
  readonly look?: 'danger';
  /** The accessible name of the button, if its label does not name its object. */
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

/** The button that opened the dialog may have been removed with its object. */
function focusHeading(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
}
