import Type from 'typebox';
import { isTimeZone } from '../../domain/time-zone.ts';

/** @param description what the time zone applies to */
export function shownTimeZone(description: string) {
  return Type.String({
    description: `${description}: a name such as \`Europe/Berlin\`, or an offset.`,
    examples: ['Europe/Berlin'],
    default: 'UTC',
  });
}

/** The same in requests. */
export function givenTimeZone(shown: ReturnType<typeof shownTimeZone>) {
  return Type.Refine(shown, isTimeZone, () => 'must be a time zone such as Europe/Berlin or UTC');
}
