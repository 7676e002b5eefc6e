import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { styleRuleWords } from '../../packages/client/occurrences.ts';
import { colorCauseOf, colorEditOf } from '../../src/checks/a11y/color-edit.ts';

/** Which color one edit has to change, and which texts it fixes together. */

const summary = (text: string, background: string, ratio = '4.5'): string =>
  `Fix any of the following:\n  Element has insufficient color contrast of 2 (foreground color: ${text}, background color: ${background}, font size: 12.0pt (16px), font weight: normal). Expected contrast ratio of ${ratio}:1`;
const edit = (text: string, background: string, color: string, opacity = 1, ratio?: string) =>
  colorEditOf(summary(text, background, ratio), { color, opacity });

describe('the color to edit', () => {
  it('is the text, if it can differ more from its background', () => {
    assert.deepEqual(edit('#999999', '#ffffff', 'rgb(153, 153, 153)'), { of: 'text', to: 'darker' });
    assert.deepEqual(edit('#777777', '#333333', 'rgb(119, 119, 119)'), { of: 'text', to: 'lighter' });
  });

  it('is the background if light text would not suffice even in white, or dark text even in black', () => {
    assert.deepEqual(edit('#ffffff', '#36b9cc', 'rgb(255, 255, 255)'), { of: 'background', to: 'darker' });
    assert.deepEqual(edit('#000000', '#444444', 'rgb(0, 0, 0)'), { of: 'background', to: 'lighter' });
  });

  it('is a translucent text that suffices on no background', () => {
    assert.deepEqual(edit('#95abec', '#4e73df', 'rgba(255, 255, 255, 0.4)'), { of: 'text', to: 'darker' });
  });

  it('is not known if no single color suffices, because the element is translucent or the ratio too high', () => {
    assert.equal(edit('#808080', '#ffffff', 'rgb(0, 0, 0)', 0.5), null);
    assert.equal(colorEditOf('Fix any of the following: alt', { color: 'rgb(0, 0, 0)', opacity: 1 }), null);
  });

  it('is the color of a link in a text', () => {
    const link = 'Minimum contrast is 3:1, link text: #4e73df, surrounding text: #858796';
    assert.equal(colorEditOf(link, { color: '', opacity: 1 })?.of, 'text');
  });
});

describe('a cause', () => {
  const rule = { selector: '.a', url: 'https://example.com/app.3f9a2c41.css?v=1', line: 1, column: 2 };
  const declared = { ...rule, property: 'color', value: '#999999' };
  const darker = { of: 'text', to: 'darker' } as const;

  it('is the same after a new build, and in another line', () => {
    const moved = { ...declared, url: 'https://example.com/app.99ab23cd.css?v=2', line: 8 };
    assert.equal(colorCauseOf(darker, declared), colorCauseOf(darker, moved));
  });

  it('is another one for another value, rule or direction', () => {
    const causes = [
      colorCauseOf(darker, declared),
      colorCauseOf(darker, { ...declared, value: '#888888' }),
      colorCauseOf(darker, { ...declared, selector: '.b' }),
      colorCauseOf({ of: 'text', to: 'lighter' }, declared),
    ];
    assert.equal(new Set(causes).size, 4);
  });
});

describe('the words for style rules', () => {
  const at = { url: 'https://example.com/css/app.css', line: 12, column: 3 };
  const text = { ...at, selector: '.muted', property: 'color', value: '#888888' };
  const background = { selector: '.card', url: null, line: 4, column: 1, property: '--card', value: '#eee' };

  it('begin with the rule to edit, and say what belongs to the first element only', () => {
    const both = { style_rule: text, background_rule: background };
    const [one, other] = [
      'color: #888888 set by .muted in app.css:12:3',
      'background --card: #eee set by .card in a style sheet in the page (line 4)',
    ];
    assert.equal(styleRuleWords({ ...both, edited_color: 'text' }, undefined, 2), `${one}; ${other} (first element)`);
    assert.equal(styleRuleWords({ ...both, edited_color: 'background' }), `${other}; ${one}`);
    assert.equal(styleRuleWords({ style_rule: null, background_rule: null, edited_color: null }), '');
  });

  it('name what an earlier version stored', () => {
    const stored = { selector: '.nav', url: at.url, line: null, column: null, property: 'color', value: null };
    const words = styleRuleWords({ style_rule: stored, background_rule: null, edited_color: null }, undefined, 2);
    assert.equal(words, 'color set by .nav in app.css (first element)');
  });
});
