import { shown } from './imported.ts';
import { type FileStep, fillStep, isUsable } from './login-steps.ts';

/** The steps of pa11y's actions, and remarks on actions that have no equivalent. */
export function stepsOfActions(
  actions: readonly string[],
  url: string,
): { readonly steps: readonly FileStep[]; readonly remarks: readonly string[] } {
  const remarks: string[] = [];
  const steps = actions.flatMap((action, index) => {
    const step = stepOf(action.trim(), index + 1);
    if (step === null) remarks.push(`The action ${shown(hidden(action))} is not imported: it has no equivalent.`);
    return step === null ? [] : [step];
  });
  return { steps: [{ open: url }, ...steps], remarks };
}

/** Removes the value of a field, which may be secret. */
function hidden(action: string): string {
  return /^set field /i.test(action) ? 'set field' : action;
}

function stepOf(action: string, number: number): FileStep | null {
  const [verb = '', ...rest] = action.split(' ');
  const words = rest.join(' ');
  switch (verb.toLowerCase()) {
    case 'navigate':
      return /^to https?:/i.test(words) ? { open: words.slice('to '.length) } : null;
    case 'click':
      return onElement(words, 'element ', (selector) => ({ click: selector }));
    case 'check':
      return onElement(words, 'field ', (selector) => ({ click: selector }));
    case 'clear':
      return onElement(words, 'field ', (selector) => ({ fill: selector, value: '' }));
    case 'set': {
      const at = words.indexOf(' to ');
      const value = words.slice(at + ' to '.length);
      return at === -1
        ? null
        : onElement(words.slice(0, at), 'field ', (selector) => fillStep(selector, value, number));
    }
    case 'wait':
      return waitOf(words);
    default:
      return null;
  }
}

/** `for path to be /home`, `for element #menu to be visible`. */
function waitOf(words: string): FileStep | null {
  for (const what of ['path', 'url', 'host', 'fragment']) {
    const start = `for ${what} to be `;
    if (words.toLowerCase().startsWith(start)) return { wait_for: { url: words.slice(start.length) } };
  }
  const [, state] = / to be (visible|added)$/i.exec(words) ?? [];
  if (state === undefined) return null;
  return onElement(words.slice(0, -` to be ${state}`.length), 'for element ', (selector) => ({
    wait_for: { selector },
  }));
}

function onElement(words: string, start: string, step: (selector: string) => FileStep): FileStep | null {
  const selector = words.slice(start.length).trim();
  return words.toLowerCase().startsWith(start) && isUsable(selector) ? step(selector) : null;
}
