import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDevice, parseStandard } from '../../src/commands/option-values.ts';
import { IPHONE_15 } from '../helpers/devices.ts';

describe('check --device', () => {
  it('takes a name in any case, an id, or the default device', () => {
    for (const text of ['iPhone 15', ' IPHONE 15 ', IPHONE_15, IPHONE_15.toUpperCase()]) {
      assert.equal(parseDevice(text), IPHONE_15);
    }
    for (const text of ['', 'default', 'Default']) assert.equal(parseDevice(text), '');
  });

  const unknown: Readonly<Record<string, RegExp>> = {
    'iphone 15 pro mx': /Similar names: "iPhone 15 Pro Max"/,
    s9: /"Galaxy S9\+", .*"Galaxy Tab S9"/,
    'Nexus 5Y': /Similar names: "Nexus 5/,
    'Commodore 64':
      /^This device does not exist\. Names look like "iPhone 15" or "Pixel 7"\. --device help lists all devices\.$/,
  };
  for (const [text, message] of Object.entries(unknown)) {
    it(`suggests names similar to ${text}`, () => {
      assert.throws(() => parseDevice(text), { message });
    });
  }
});

describe('check --standard', () => {
  it('takes the id of a standard, or none', () => {
    assert.deepEqual(['wcag22-aa', 'none', ''].map(parseStandard), ['wcag22-aa', '', '']);
    assert.throws(() => parseStandard('null'), { message: /^It must be wcag20-a, .*, or none\.$/ });
  });
});
