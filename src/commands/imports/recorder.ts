import { type OtherStep, type RecordedSteps, stepsOfRecording } from '../../../packages/client/recorded-steps.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { type Imported, NOTHING, shown } from './imported.ts';
import {
  doSomething,
  type ImportedSteps,
  importedJourneys,
  importedLogin,
  isUsable,
  type StepsTarget,
  targetOf,
} from './login-steps.ts';
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

/**
 * @param values in the form of `RECORDER`
 * @param as what the steps become; undefined to decide by what they enter
 */
export function importRecording(values: JsonObject, name: string, as?: StepsTarget): Imported {
  const recorded: readonly unknown[] = [values['steps'] ?? []].flat();
  const read = stepsOfRecording(recorded, isUsable);
  const { steps, others } = read;
  const urls = steps.flatMap(({ open }) => (typeof open === 'string' ? [new URL('/', open).href] : []));
  const title = typeof values['title'] === 'string' ? values['title'] : name;
  const imported = importedSteps(read, { name, title, as });
  // The site of the last page that it opened: a login may begin elsewhere.
  return {
    ...NOTHING,
    ...imported,
    urls: urls.slice(-1),
    remarks: [...others.map(remarkOn), ...imported.remarks],
  };
}

function remarkOn({ number, what, instead }: OtherStep): string {
  const reason = instead === null ? 'it has no equivalent, or no CSS selector' : `a single ${instead} replaces it`;
  return `Step ${number} ${shown(what)} is not imported: ${reason}.`;
}

function importedSteps(
  read: RecordedSteps,
  { name, title, as }: { readonly name: string; readonly title: string; readonly as: StepsTarget | undefined },
): ImportedSteps {
  if (!doSomething(read)) return NOTHING;
  const { steps } = read;
  return targetOf(steps, as) === 'login' ? importedLogin(steps, name) : importedJourneys([{ name: title, steps }]);
}
