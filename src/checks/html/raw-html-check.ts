import type { RawCheck } from '../../domain/check.ts';
import type { VnuOutput } from './vnu-output.ts';

/** The validator's output as it is; of one that is too large, the first messages. */
export function rawHtmlCheck(output: VnuOutput, maxCharacters: number): RawCheck {
  let room = maxCharacters - JSON.stringify({ ...output, messages: [] }).length;
  const messages = output.messages.filter((message) => {
    room -= JSON.stringify(message).length + 1;
    return room >= 0;
  });
  return { json: JSON.stringify({ ...output, messages }), omitted: output.messages.length - messages.length };
}
