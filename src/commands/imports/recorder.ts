import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { type Imported, NOTHING, shown } from './imported.ts';
import { type FileStep, fillStep, isUsable, loginSetting } from './login-steps.ts';
import { objectOf, type Shape, TEXT } from './shape.ts';

/** A recording of the Recorder panel in Chrome's developer tools. */
export const RECORDER: Shape = objectOf({
  title: TEXT,
  steps: {
    words: 'a list of steps',
    is: Array.isArray,
    each: { ...objectOf({ type: TEXT, url: TEXT, value: { ...TEXT, isSecret: true }, key: TEXT }) },
  },
});

/** Steps that need no counterpart: sizes of windows, and keys that enter text, which `change` steps contain. */
const WITHOUT_EFFECT = ['setViewport', 'keyUp', 'hover', 'scroll', 'emulateNetworkConditions', 'close'];
/** Keys that do more than enter text. */
const KEYS = ['Enter', 'Tab', 'Escape'];

/** @param values like `RECORDER` */
export function importRecording(values: JsonObject, name: string): Imported {
  const remarks: string[] = [];
  const recorded: readonly unknown[] = [values['steps'] ?? []].flat();
  const steps = recorded.flatMap((step, index) => {
    if (!isObject(step) || WITHOUT_EFFECT.includes(String(step['type']))) return [];
    const read = readStep(step, index + 1);
    if (read === null)
      remarks.push(
        `Step ${index + 1} ${shown(step['type'])} is not imported: it has no equivalent, or no CSS selector.`,
      );
    return read ?? [];
  });
  const urls = steps.flatMap(({ open }) => (typeof open === 'string' ? [new URL('/', open).href] : []));
  const { settings, remarks: more } = loginSetting(steps, name);
  // The site of the last page that it opened: a login may begin elsewhere.
  return { ...NOTHING, urls: urls.slice(-1), settings, remarks: [...remarks, ...more] };
}

/** @returns no steps for a key that only enters text, and null for a step that cannot be imported */
function readStep(step: JsonObject, number: number): readonly FileStep[] | null {
  const { type, url, key, value } = step;
  if (type === 'navigate') return typeof url === 'string' && /^https?:/.test(url) ? [{ open: url }] : null;
  if (type === 'keyDown') return KEYS.includes(String(key)) ? [{ press: key }] : [];
  const selectors = selectorsOf(step);
  const named = selectors.filter((one) => !one.startsWith('aria/'));
  const selector = named.map((one) => one.replace(/^pierce\//, '')).find(isUsable);
  if (selector === undefined) return null;
  switch (type) {
    case 'click':
    case 'doubleClick':
      return [{ click: selector }];
    case 'change':
      if (/(?:^|[\s>])select(?:[#.[:]|$)/i.test(selector)) return [{ select: selector, value }];
      return [fillStep(selector, String(value ?? ''), number, selectors.join(' '))];
    case 'waitForElement':
      return [{ wait_for: { selector } }];
    default:
      return null;
  }
}

/** Returns the selectors of a step that name one element, without those through frames and shadow roots. */
function selectorsOf({ selectors }: JsonObject): readonly string[] {
  const list: readonly unknown[] = Array.isArray(selectors) ? selectors : [];
  return list.flatMap((selector) => {
    const parts: readonly unknown[] = [selector].flat();
    return parts.length === 1 && typeof parts[0] === 'string' && !/^(?:xpath|text)\//.test(parts[0]) ? [parts[0]] : [];
  });
}
