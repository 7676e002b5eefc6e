import { messageMaxCharacters } from '../checks/limits.ts';
import { shortened } from '../platform/shorten.ts';

/** Bytes of a kept text as JSON for each of its characters: those of every language take no more, control characters six. */
const bytesPerCharacterMax = 3;

/**
 * A text of an issue as it is kept: of one that is too long the start and the end, with `…` between them. So a list of 100
 * common issues stays under 2 MB, whatever a site sends.
 */
export function keptText(text: string): string {
  const kept = shortened(text, messageMaxCharacters);
  const bytes = kept.length * 2 < messageMaxCharacters ? 0 : Buffer.byteLength(JSON.stringify(kept));
  return bytes <= bytesPerCharacterMax * messageMaxCharacters ? kept : shortened(text, messageMaxCharacters / 2);
}
