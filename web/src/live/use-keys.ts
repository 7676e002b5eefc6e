import { type RefObject, useEffect, useRef } from 'react';
import { preference } from './preferences.ts';

/** A command that a single key gives, beside a control that is visible. */
export interface KeyCommand {
  /** The `key` of the keyboard event, such as `j`, `]` or `?`. */
  readonly key: string;
  /** What it does, for the list of keys: `Next row`. */
  readonly title: string;
  readonly run: () => void;
}

const offered = new Set<RefObject<readonly KeyCommand[]>>();

/**
 * Makes single keys commands while the focus is inside an element, but not in a text field. People can turn all of them off
 * (WCAG 2.2, 2.1.4).
 * @param scope the list, table or source in which the keys act
 */
export function useKeys(scope: RefObject<HTMLElement | null>, commands: readonly KeyCommand[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isCommand(event) || !isInside(event, scope.current)) return;
      const command = latest.current.find(({ key }) => key === event.key);
      if (command === undefined) return;
      event.preventDefault();
      command.run();
    };
    document.addEventListener('keydown', onKeyDown);
    offered.add(latest);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      offered.delete(latest);
    };
  }, [scope]);
}

/** Returns the commands that the screen offers now. */
export function offeredKeys(): readonly KeyCommand[] {
  return [...offered].flatMap(({ current }) => current);
}

/** Whether a key that was pressed can be a command: neither typed text nor a shortcut of the browser. */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  return preference('keys') === 'on' && !isTextField(event.target);
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** A dialog inside the element has keys of its own. */
function isInside({ target }: KeyboardEvent, element: HTMLElement | null): boolean {
  if (element === null || !(target instanceof Element) || !element.contains(target)) return false;
  return target.closest('dialog') === element.closest('dialog');
}
