import type { LoginAction, PageTest } from '../login.ts';

/** A step of a login or a journey, as its failure names it. The text that it enters is never included. */
export interface NamedStep extends PageTest {
  /** Counted from 1. */
  readonly step: number;
  readonly action: LoginAction | 'check';
}

/** The words for actions, to precede the action's text, such as a selector. */
const VERBS = {
  open: 'open',
  fill: 'fill the field',
  click: 'click',
  press: 'press the key',
  select: 'select in the list',
  check: 'check the page as',
  wait_for: 'wait for',
  expect: 'expect',
} as const;

/** Returns what a step does, such as `click “#menu”`. */
export function stepInWords({ action, ...about }: NamedStep): string {
  const text = about.url ?? about.selector ?? about.text;
  // Earlier versions stored the action only.
  if (text === undefined) return action;
  return `${VERBS[action]} ${action === 'wait_for' || action === 'expect' ? conditionsInWords(about) : `“${text}”`}`;
}

/** Returns what a page must have, such as `the element “#menu” and the text “1 item”`. */
export function conditionsInWords({ url, selector, text }: PageTest): string {
  const parts = [
    url === undefined ? [] : [`“${url}” in the URL`],
    selector === undefined ? [] : [`the element “${selector}”`],
    text === undefined ? [] : [`the text “${text}”`],
  ];
  return parts.flat().join(' and ');
}
