import type { Certainty } from '../../domain/check.ts';
import { BY_HEADINGS, SCREEN_READER, EFFECTS_OF_SEVERAL_CHECKS as SHARED } from '../shared-effects.ts';

/** Whom accessibility issues hinder, and how, by the id of the axe rule. A test verifies that every rule has an effect. */

const BY_PARTS = 'People who jump between the parts of a page with a screen reader';

const UNNAMED_BUTTON = `${SCREEN_READER} hear only “button” and must guess what it does.`;
const RELOADED = 'People who need more time to read lose their place when the page reloads or changes by itself.';

const EFFECTS: Readonly<Record<string, string>> = {
  accesskeys: 'People who use shortcut keys may reach the wrong element, because several elements share one key.',
  'area-alt': SHARED.clickableArea,
  'aria-allowed-attr': SHARED.wrongDetails,
  'aria-allowed-role': `${SCREEN_READER} hear the element announced as something other than what it is.`,
  'aria-braille-equivalent': `${SCREEN_READER} with speech miss a name that exists only in braille.`,
  'aria-command-name': `${SCREEN_READER} must guess what the button, link or menu item does.`,
  'aria-conditional-attr': `${SCREEN_READER} may hear a wrong state, such as “checked” for an empty checkbox.`,
  'aria-deprecated-role': `${SCREEN_READER} must guess what the element is, because newer screen readers ignore its obsolete role.`,
  'aria-dialog-name': `${SCREEN_READER} must guess what the dialog is about when it opens.`,
  'aria-hidden-body': `${SCREEN_READER} find an empty page, because all its content is hidden from them.`,
  'aria-hidden-focus': `${SCREEN_READER} reach links or buttons that stay silent, because they are hidden from the screen reader.`,
  'aria-input-field-name': SHARED.unlabeledField,
  'aria-meter-name': `${SCREEN_READER} hear a value and must guess what it measures.`,
  'aria-progressbar-name': `${SCREEN_READER} hear a percentage and must guess what is in progress.`,
  'aria-prohibited-attr': SHARED.ignoredName,
  'aria-required-attr': SHARED.missingState,
  'aria-required-children': `${SCREEN_READER} hear a list, menu or table announced, but cannot move through its items.`,
  'aria-required-parent': `${SCREEN_READER} don't hear which list, menu or table the item belongs to.`,
  'aria-roledescription': `${SCREEN_READER} don't hear the description of the element, because it is ignored there.`,
  'aria-roles': SHARED.wrongRole,
  'aria-tab-name': `${SCREEN_READER} must guess what the tab opens.`,
  'aria-text': `${SCREEN_READER} hear links and buttons as plain text, so they don't know that they can use them.`,
  'aria-toggle-field-name': `${SCREEN_READER} must guess what the checkbox, radio button or switch is for.`,
  'aria-tooltip-name': `${SCREEN_READER} don't hear the text of the tooltip.`,
  'aria-treeitem-name': `${SCREEN_READER} must guess what the tree item is.`,
  'aria-valid-attr': `${SCREEN_READER} miss a detail of the element, because its code is misspelled and ignored.`,
  'aria-valid-attr-value': SHARED.wrongState,
  'audio-caption': 'People who are deaf or hard of hearing miss what the audio says.',
  'autocomplete-valid': SHARED.noAutofill,
  'avoid-inline-spacing':
    'People who need wider spacing to read, such as some people with dyslexia, cannot change the spacing of the text.',
  blink: 'People who read slowly or are easily distracted have trouble with the blinking text.',
  'button-name': UNNAMED_BUTTON,
  bypass:
    'People who use a keyboard or a screen reader must go through the menu on every page before they reach the content.',
  'color-contrast': 'People with low vision, and everyone in bright light, have trouble reading the text.',
  'color-contrast-enhanced': 'People with very low vision have trouble reading the text.',
  'css-orientation-lock':
    'People whose phone or tablet is fixed in place, for example to a wheelchair, see the page sideways.',
  'definition-list': SHARED.looseTerms,
  dlitem: `${SCREEN_READER} don't hear that the term or explanation belongs to a list.`,
  'document-title': SHARED.unnamedPage,
  'duplicate-id': SHARED.duplicateId,
  'duplicate-id-active': `${SCREEN_READER} may hear the label of another control.`,
  'duplicate-id-aria': `${SCREEN_READER} may hear the label of another field or control.`,
  'empty-heading': SHARED.emptyHeading,
  'empty-table-header': `${SCREEN_READER} must guess what a column or row of the table contains.`,
  'focus-order-semantics': `${SCREEN_READER} reach the element with the keyboard and must guess what it does.`,
  'form-field-multiple-labels': `${SCREEN_READER} may miss one of the labels of the field.`,
  'frame-focusable-content': 'People who use a keyboard cannot reach the links and buttons in the embedded content.',
  'frame-title': `${SCREEN_READER} must guess what the embedded content is, such as a video or a map.`,
  'frame-title-unique': `${SCREEN_READER} cannot distinguish embedded frames, because they have the same title.`,
  'heading-order': SHARED.skippedLevel,
  'html-has-lang': SHARED.wrongPronunciation,
  'html-lang-valid': SHARED.wrongPronunciation,
  'html-xml-lang-mismatch': SHARED.wrongPronunciation,
  'identical-links-same-purpose':
    'People who go from link to link with a screen reader hear the same text for links that lead to different pages.',
  'image-alt': SHARED.imageWithoutText,
  'image-redundant-alt': `${SCREEN_READER} hear the same text twice.`,
  'input-button-name': UNNAMED_BUTTON,
  'input-image-alt': UNNAMED_BUTTON,
  label: SHARED.unlabeledField,
  'label-content-name-mismatch':
    'People who use voice control cannot choose the link or button by the words that they see on it.',
  'label-title-only':
    'People who use a phone or a keyboard must guess what to enter, because only a mouse shows the label.',
  'landmark-banner-is-top-level': `${BY_PARTS} may miss the page header, because it is inside another part.`,
  'landmark-complementary-is-top-level': `${BY_PARTS} may miss additional content, because it is inside another part.`,
  'landmark-contentinfo-is-top-level': `${BY_PARTS} may miss the page footer, because it is inside another part.`,
  'landmark-main-is-top-level': `${BY_PARTS} may miss the main content, because it is inside another part.`,
  'landmark-no-duplicate-banner': `${BY_PARTS} find several page headers and must guess which one they need.`,
  'landmark-no-duplicate-contentinfo': `${BY_PARTS} find several page footers and must guess which one they need.`,
  'landmark-no-duplicate-main': SHARED.severalMains,
  'landmark-one-main': `${SCREEN_READER} cannot jump to the main content.`,
  'landmark-unique': `${BY_PARTS} cannot distinguish the parts, because they have the same name.`,
  'link-in-text-block':
    'People who are color-blind or have low vision cannot distinguish links from the text around them.',
  'link-name': `${SCREEN_READER} hear only “link” and must guess where it leads.`,
  list: SHARED.wrongList,
  listitem: SHARED.looseListItem,
  marquee: SHARED.motion,
  'meta-refresh': RELOADED,
  'meta-refresh-no-exceptions': RELOADED,
  'meta-viewport': SHARED.noZoom,
  'meta-viewport-large': 'People with low vision can enlarge the page on some phones, but not as much as they need.',
  'nested-interactive': SHARED.nestedControl,
  'no-autoplay-audio': `${SCREEN_READER} have trouble hearing it over the sound that the page plays by itself.`,
  'object-alt': `${SCREEN_READER} must guess what the embedded object shows.`,
  'p-as-heading': `${BY_HEADINGS} skip this text, because it only looks like a heading.`,
  'page-has-heading-one': SHARED.noMainHeading,
  'presentation-role-conflict': `${SCREEN_READER} hear an element that was meant to be skipped.`,
  region: `${BY_PARTS} may miss this content, because it is not in any of these parts.`,
  'role-img-alt': SHARED.imageWithoutText,
  'scope-attr-valid': SHARED.wrongCellHeadings,
  'scrollable-region-focusable': 'People who use a keyboard cannot scroll this area, so they miss part of its content.',
  'select-name': `${SCREEN_READER} must guess what to choose from the list.`,
  'server-side-image-map': 'People who use a keyboard or a screen reader cannot use the links in the image.',
  'skip-link': 'People who use a keyboard choose a link that should skip to the content, but they stay where they are.',
  'summary-name': `${SCREEN_READER} must guess what the expandable section contains.`,
  'svg-img-alt': SHARED.imageWithoutText,
  'table-duplicate-name': `${SCREEN_READER} hear the title of the table twice.`,
  'table-fake-caption': `${SCREEN_READER} hear the title of the table as if it were a cell.`,
  tabindex: 'People who use a keyboard jump around the page in an unexpected order.',
  'target-size': 'People whose hands are unsteady, and everyone on a phone, may hit the wrong link or button.',
  'td-has-header': `${SCREEN_READER} hear the cells of the table and must guess which row and column they belong to.`,
  'td-headers-attr': SHARED.wrongCellHeadings,
  'th-has-data-cells': SHARED.wrongCellHeadings,
  'valid-lang': SHARED.wrongPronunciation,
  'video-caption': 'People who are deaf or hard of hearing miss what is said in the video.',
};

/** Rules that report that something was not checked. */
const UNTESTED: ReadonlyMap<string, string> = new Map([
  ['frame-tested', 'Embedded content of the page could not be checked, so its barriers are unknown.'],
  ['hidden-content', 'Hidden content of the page could not be checked, so its barriers are unknown.'],
]);

/**
 * Returns whom the issues of a rule hinder and how, in a sentence; null for rules of other versions of axe.
 * @param type a warning needs review, so it hinders only if a reviewer confirms it
 */
export function a11yEffect(rule: string | null, type: Certainty): string | null {
  if (rule === null) return null;
  const effect = Object.hasOwn(EFFECTS, rule) ? EFFECTS[rule] : undefined;
  if (effect === undefined) return UNTESTED.get(rule) ?? null;
  return type === 'error' ? effect : `If a reviewer confirms this, ${effect.charAt(0).toLowerCase()}${effect.slice(1)}`;
}
