import { type RefObject, useEffect, useRef } from 'react';
import { preference } from './preferences.ts';

/** A single-key shortcut for an action that also has a visible control. */
export interface KeyCommand {
  /** The `key` of the keyboard event, such as `j`, `]` or `?`. */
  readonly key: string;
  /** What it does, for the list of shortcuts: `Next row`. */
  readonly title: string;
  readonly run: () => void;
}

const offered = new Set<RefObject<readonly KeyCommand[]>>();

/**
 * Enables single-key shortcuts while the focus is inside an element, except in text fields. Users can turn all of them off
 * (WCAG 2.2, 2.1.4).
 * @param scope the list, table or source in which the shortcuts work
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

/** Returns the shortcuts that the current screen offers. */
export function offeredKeys(): readonly KeyCommand[] {
  return [...offered].flatMap(({ current }) => current);
}

/** Whether a key press can be a shortcut: it is neither text input nor a shortcut of the browser. */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  return preference('keys') === 'on' && !isTextField(event.target);
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** A dialog inside the element has its own shortcuts. */
function isInside({ target }: KeyboardEvent, element: HTMLElement | null): boolean {
  if (element === null || !(target instanceof Element) || !element.contains(target)) return false;
  return target.closest('dialog') === element.closest('dialog');
}
