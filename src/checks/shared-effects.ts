/** Effects of issues that several checks find: the same problem has the same words. */

export const SCREEN_READER = 'People who use a screen reader';
export const BY_HEADINGS = 'People who go from heading to heading with a screen reader';

export const EFFECTS_OF_SEVERAL_CHECKS = {
  clickableArea: `${SCREEN_READER} must guess where a clickable area of the image leads.`,
  imageWithoutText: `${SCREEN_READER} don't hear what the image shows.`,
  wrongPronunciation: `${SCREEN_READER} may misunderstand the text, because it is read with the pronunciation of another language.`,
  wrongRole: `${SCREEN_READER} may miss what the element is, such as a button or a menu.`,
  wrongDetails: `${SCREEN_READER} may miss or mishear details of an element, such as whether it is open or selected.`,
  wrongState: `${SCREEN_READER} miss a name, description or state of the element, because the code for it is wrong.`,
  ignoredName: `${SCREEN_READER} don't hear the name that the element was given, because it is ignored there.`,
  missingState: `${SCREEN_READER} miss a detail of the element, such as whether it is checked.`,
  unlabeledField: `${SCREEN_READER} must guess what to enter.`,
  unnamedPage: `${SCREEN_READER}, and everyone with several tabs open, cannot tell which page this is.`,
  duplicateId:
    'Visitors may reach the wrong element, because links, labels and scripts find only the first of several with the same ID.',
  skippedLevel: `${BY_HEADINGS} think that they missed a section, because a heading level is skipped.`,
  emptyHeading: `${BY_HEADINGS} reach an empty heading and must guess what the section is about.`,
  noMainHeading: `${BY_HEADINGS} must guess where the content of the page begins.`,
  severalMains:
    'People who jump between the parts of a page with a screen reader find several main parts and must guess which one they need.',
  nestedControl:
    'People who use a keyboard or a screen reader may miss a control, because it is inside another control.',
  wrongList: `${SCREEN_READER} may hear the wrong number of items in the list.`,
  looseListItem: `${SCREEN_READER} don't hear that the item belongs to a list, or how long the list is.`,
  looseTerms: `${SCREEN_READER} don't hear which terms and explanations belong together.`,
  wrongCellHeadings: `${SCREEN_READER} may hear the wrong headings for the cells of the table.`,
  noZoom: 'People with low vision cannot enlarge the page on some phones.',
  noAutofill:
    'People who have trouble typing or remembering must fill in the field by hand, because browsers cannot fill it in for them.',
  motion: 'People who read slowly or are easily distracted have trouble with the moving text.',
} as const;
