import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, type Failure, fullSentenceOf, sentenceOf } from '../../src/domain/failures/failure.ts';
import { createRedaction, redacted } from '../../src/domain/redaction.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { storableFailure } from '../../src/store/storable.ts';

const refused: Failure = {
  code: 'leads_to_sign_in',
  params: { url: 'https://site.example/login?token=sesame-0123', names: ['cookies'] },
};

test('credentials are masked in foreign text of a failure, also in its reasons, and nowhere else', () => {
  const redaction = createRedaction({
    ...NO_ACCESS,
    basicAuth: { username: 'staff', password: 'cookies!' },
    cookies: { session: 'sesame-0123' },
  });
  const failure: Failure = {
    code: 'several',
    params: { failures: [{ code: 'start_failed', params: { why: refused } }, refused] },
  };
  const sentence = sentenceOf(redacted(failure, redaction));
  assert.equal(sentence.match(/token=\*{11},/g)?.length, 2);
  assert.equal(sentence.match(/credentials \(cookies\)/g)?.length, 2);
  assert.equal(redacted(failure, null), failure);
});

test('a password that is a word of the sentence is masked only in quotes', () => {
  const redaction = createRedaction({ ...NO_ACCESS, basicAuth: { username: '', password: 'Encoding' } });
  const broken: Failure = { code: 'body_undecodable', params: {} };
  assert.equal(sentenceOf(redacted(broken, redaction)), sentenceOf(broken));
  const moved: Failure = { code: 'redirects_now', params: { url: 'https://site.example/Encoding' } };
  assert.equal(sentenceOf(redacted(moved, redaction)), 'The page now redirects to https://site.example/********');
});

test('foreign text of a failure is stored shortened, without characters that PostgreSQL rejects', () => {
  const text = `${'a'.repeat(10_000)}\0\u0001\ud800`;
  const stored = storableFailure({ code: 'check_error', params: { text } } as const);
  assert.equal(stored.params.text.length, 800);
  assert.match(stored.params.text, /^a+…a+\uFFFD{3}$/);
});

test('several failures have the code of the first, and a single sentence ends with a full stop', () => {
  const stopped: Failure = { code: 'report_stopped', params: {} };
  const empty: Failure = { code: 'sitemap_without_pages', params: {} };
  assert.equal(codeOf({ code: 'several', params: { failures: [empty, stopped] } }), 'sitemap_without_pages');
  assert.equal(codeOf(null), null);
  assert.equal(fullSentenceOf(stopped), `${sentenceOf(stopped)}.`);
  assert.equal(fullSentenceOf(empty), sentenceOf(empty));
});

test('a code of a later version is shown unchanged', () => {
  assert.equal(sentenceOf({ code: 'from_the_future', params: {} }), 'from_the_future');
});
