import type { VnuMessage } from '../../src/checks/html/vnu-output.ts';

/** One page in many encodings, correctly and incorrectly declared, by name. */

interface EncodedPage {
  readonly contentType: string;
  readonly body: Uint8Array;
  /**
   * For pages whose encoding the validator's command line does not recognize, such as from the header, which files lack: the
   * same in UTF-8, and the messages about the encoding, which come first.
   */
  readonly asFile?: { readonly body: Uint8Array; readonly messages: readonly VnuMessage[] };
}

const UTF_8 = 'text/html; charset=utf-8';
const BARE = 'text/html';
const WESTERN = 'Caf\u00e9 \u00fcber';
const EUROPEAN = `${WESTERN} \u20ac \u201cquoted\u201d`;

function page(text: string, meta = ''): string {
  return `<!DOCTYPE html><html lang="en"><head>${meta}<title>${text}</title></head><body><main><h1>${text}</h1><img src="/picture.png" title="${text}" id="${text}"></main></body></html>`;
}

function served(contentType: string, body: Uint8Array): EncodedPage {
  return { contentType, body };
}

function legacyError(encoding: string): VnuMessage {
  return { type: 'error', message: `Legacy encoding “${encoding}” used. Documents must use UTF-8.` };
}

function declaredByHeader(
  charset: string,
  encode: (text: string) => Uint8Array,
  text: string,
  legacyEncoding = charset,
  earlier: readonly VnuMessage[] = [],
): EncodedPage {
  const body = encode(page(text));
  return {
    ...served(`text/html; charset=${charset}`, body),
    asFile: { body: Buffer.from(page(text)), messages: [...earlier, legacyError(legacyEncoding)] },
  };
}

function utf16(text: string, isBigEndian = false): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

/** What windows-1252 has instead of the control characters of ISO 8859-1. */
const WINDOWS_1252: Readonly<Record<string, number>> = { '\u20ac': 0x80, '\u201c': 0x93, '\u201d': 0x94 };

function windows1252(text: string): Buffer {
  return Buffer.from([...text].map((character) => WINDOWS_1252[character] ?? character.charCodeAt(0)));
}

/** \u8868 ends in a backslash in Shift_JIS, which misleads code that reads it as ASCII. */
const SHIFT_JIS: Readonly<Record<string, readonly number[]>> = {
  '\u65e5': [0x93, 0xfa],
  '\u672c': [0x96, 0x7b],
  '\u8868': [0x95, 0x5c],
  '\uff71': [0xb1],
};

function shiftJis(text: string): Buffer {
  return Buffer.from([...text].flatMap((character) => SHIFT_JIS[character] ?? [character.charCodeAt(0)]));
}

const JAPANESE = '\u65e5\u672c\u8868\uff71';

export const encodedPages: Readonly<Record<string, EncodedPage>> = {
  'utf-16-little-mark': served(BARE, utf16(`\ufeff${page(EUROPEAN)}`)),
  'utf-16-big-mark': {
    ...served(UTF_8, utf16(`\ufeff${page(JAPANESE)}`, true)),
    asFile: { body: Buffer.from(page(JAPANESE)), messages: [legacyError('utf-16be')] },
  },
  'utf-16-header': declaredByHeader('utf-16be', (text) => utf16(text, true), EUROPEAN),
  'utf-16-mark-and-header': declaredByHeader('utf-16', (text) => utf16(`\ufeff${text}`), EUROPEAN, 'utf-16le'),
  'utf-16-claimed-by-meta': served(BARE, Buffer.from(page(WESTERN, '<meta charset="utf-16">'))),
  'shift-jis-header': declaredByHeader('Shift_JIS', shiftJis, JAPANESE, 'shift_jis'),
  'shift-jis-meta': served(BARE, shiftJis(page(JAPANESE, '<meta charset="x-sjis">'))),
  'windows-1252-header': declaredByHeader('windows-1252', windows1252, EUROPEAN),
  'windows-1252-called-latin-1': declaredByHeader('iso-8859-1', windows1252, EUROPEAN, 'windows-1252', [
    {
      type: 'info',
      subType: 'warning',
      message: 'Using “windows-1252” instead of the declared encoding “iso-8859-1”.',
    },
  ]),
  'windows-1252-undeclared': served(BARE, windows1252(page(EUROPEAN))),
  'utf-8-undeclared': served(BARE, Buffer.from(page(EUROPEAN))),
  'utf-8-mark-against-header': served('text/html; charset=windows-1252', Buffer.from(`\ufeff${page(EUROPEAN)}`)),
  'utf-8-with-invalid-bytes': served(
    UTF_8,
    Buffer.concat([Buffer.from(page('a')), Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80])]),
  ),
  'charset-unknown': served('text/html; charset=klingon', Buffer.from(page(EUROPEAN))),
  'nul-in-texts': served(UTF_8, Buffer.from(page('a\0b'))),
};
