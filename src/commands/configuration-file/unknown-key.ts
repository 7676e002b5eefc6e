import { nearestName } from '../../platform/nearest-name.ts';
import { shortened } from '../../platform/shorten.ts';
import { ATTRIBUTE_OPTIONS } from '../attribute-options.ts';
import { SITE_ACCESS_OPTIONS } from '../site-access-options.ts';

const keyMaxCharacters = 100;

/** Returns the error for an unknown key of the file, with the key that was probably meant. */
export function unknownKey(key: string, known: readonly string[], isCommon: boolean): string {
  const shown = shortened(key, keyMaxCharacters);
  if (Object.hasOwn(SITE_ACCESS_OPTIONS, key)) {
    const option = ATTRIBUTE_OPTIONS.get(key)?.long ?? '';
    return `${key} must not be in the file, because others can read it: use ${option} @FILE on the command line.`;
  }
  if (isCommon && ['starting_url', 'name', 'url'].includes(key)) {
    return `${key} belongs to a site. In the list “sites”, write: "- ${key === 'name' ? key : 'starting_url'}: …".`;
  }
  const meant = nearestName(key, known) ?? attributeOfOption(key, known);
  return `${shown} is not a known setting${meant === null ? '' : `: did you mean ${meant}`}${meant === null ? '.' : '?'}`;
}

/** Returns the setting that an option of the command line sets: `perform_a11y_checks` for `a11y`. */
function attributeOfOption(key: string, known: readonly string[]): string | null {
  if (/^url$/i.test(key)) return known.find((name) => name === 'starting_url') ?? null;
  const plain = (name: string): string =>
    name
      .toLowerCase()
      .replace(/^(?:--)?(?:no-)?/, '')
      .replaceAll('_', '-');
  const found = [...ATTRIBUTE_OPTIONS].find(([, { long }]) => plain(long ?? '') === plain(key));
  return found === undefined || !known.includes(found[0]) ? null : found[0];
}
