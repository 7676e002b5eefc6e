import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import axe from 'axe-core';
import { a11yEffect } from '../../src/checks/a11y/effects.ts';
import { htmlEffect } from '../../src/checks/html/effects.ts';
import { FALLBACK_TAG, tagsOf } from '../../src/checks/html/interpret.ts';
import { LINKS } from '../../src/checks/links/description.ts';

interface Frequent {
  readonly messages: readonly { readonly message: string; readonly occurrences: number; readonly sites: number }[];
}

/** The most frequent messages of the HTML validator on real sites: an example of each, and how often it was reported. */
const FREQUENT: Frequent = JSON.parse(
  readFileSync(new URL('../fixtures/frequent-html-messages.json', import.meta.url), 'utf8'),
);
const CORPUS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../fixtures/html-message-tags.json', import.meta.url), 'utf8'),
);

const RULES = axe.getRules().map(({ ruleId }) => ruleId);
const MESSAGES = [...FREQUENT.messages.map(({ message }) => message), ...Object.keys(CORPUS)];

const effectOfMessage = (message: string) => htmlEffect(message, tagsOf(message));

test('every rule of axe says whom it hinders', () => {
  assert.deepEqual(
    RULES.filter((rule) => a11yEffect(rule, 'error') === null),
    [],
  );
  for (const unknown of [null, 'no-such-rule', 'toString']) assert.equal(a11yEffect(unknown, 'error'), null);
});

test('the most frequent messages of the HTML validator say whom they hinder', () => {
  assert.ok(FREQUENT.messages.length >= 150);
  assert.deepEqual(
    MESSAGES.filter((message) => effectOfMessage(message).words === null),
    [],
  );
  assert.equal(htmlEffect('Something quite new.', [FALLBACK_TAG]).words, null);
});

test('effects are short sentences in plain words', () => {
  const all = new Set([
    ...RULES.flatMap((rule) => [a11yEffect(rule, 'error'), a11yEffect(rule, 'warning')]),
    ...MESSAGES.map((message) => effectOfMessage(message).words),
    ...['client error', 'name', 'connection', 'certificate', 'redirect'].map((tag) => linkEffect('error', tag).words),
    linkEffect('warning', 'turned away').words,
  ]);
  for (const words of all) {
    assert.ok(words !== null);
    assert.match(words, /^[A-Z].*\.$/);
    assert.ok(words.length <= 175, words);
    assert.doesNotMatch(words, /\b(?:may|might) not\b|as (?:intended|expected)/i);
    assert.doesNotMatch(words, /<|“\w+-|\bARIA\b|\b(?:alt|aria|tabindex|attribute|DOM|markup|landmark|HTML)\b/i);
    for (const sentence of words.split(/[.:] /)) {
      const negations = sentence.match(/\b(?:not|no|none|cannot|never|nothing|nowhere|nor|without|\w+n't)\b/gi) ?? [];
      assert.ok(negations.length < 2, sentence);
    }
  }
});

test('the same problem has the same words, whichever check finds it', () => {
  const image = effectOfMessage(
    MESSAGES.find((message) => message.startsWith('An “img” element must have an “alt”')) ?? '',
  );
  assert.deepEqual(image, { words: a11yEffect('image-alt', 'error'), hindrance: 'severe' });
  const role = effectOfMessage('Bad value “buton” for attribute “role” on element “div”.');
  assert.deepEqual(role, { words: a11yEffect('aria-roles', 'error'), hindrance: 'severe' });
  const language = effectOfMessage(
    'Bad value “xx” for attribute “lang” on element “html”: The language subtag “xx” is not a valid language subtag.',
  );
  assert.deepEqual(language, { words: a11yEffect('html-lang-valid', 'error'), hindrance: 'severe' });
});

test('errors that browsers correct admit that they hinder no one', () => {
  for (const message of MESSAGES) {
    const { words, hindrance } = effectOfMessage(message);
    assert.equal(words?.startsWith('No direct effect on visitors today: '), hindrance === 'none', message);
  }
});

test('a broken link hinders as much as a critical barrier, unless it could not be checked', () => {
  assert.equal(linkEffect('error', 'client error').hindrance, 'severe');
  assert.equal(linkEffect('warning', 'turned away').hindrance, 'some');
});

function linkEffect(type: 'error' | 'warning', tag: string) {
  return LINKS.issues.effectOf({ issue_type: type, rule_id: null, impact: null, message: '', tags: [tag] });
}
