import type { FrameWorld } from '../../browser/page-load/frame-world.ts';

/**
 * Characters that leave the page at a time. The client of the browser parses each message at once, which takes about 10 ms
 * for so many, and others have their turn in between.
 */
const pieceCharacters = 1_048_576;

const REST = 'restOfAnswer';

/** What a page hands over of its answer at first: the rest is asked for piece by piece. */
interface FirstPiece {
  readonly text: string;
  /** How many pieces follow. */
  readonly following: number;
}

/** An expression for the page: hands over the text that an expression gives, null as null. */
export function inPieces(textExpression: string): string {
  return `(${textExpression}).then((text) => text && (${cut.toString()})(text, ${pieceCharacters}, '${REST}'))`;
}

/** The whole text of which the page has handed over the first piece, in UTF-8. */
export async function collectPieces(world: FrameWorld, first: unknown): Promise<Buffer> {
  if (!isFirstPiece(first)) throw new Error('The page gave no answer.');
  const pieces = [Buffer.from(first.text)];
  for (let index = 0; index < first.following; index += 1) {
    pieces.push(Buffer.from(String(await world.evaluate(`${REST}[${index}]`))));
  }
  return Buffer.concat(pieces);
}

function isFirstPiece(value: unknown): value is FirstPiece {
  return typeof value === 'object' && value !== null && 'text' in value && 'following' in value;
}

/** Runs in the page, and so stands alone. No piece ends within a surrogate pair, which would not survive the way. */
function cut(text: string, maxCharacters: number, rest: string): FirstPiece {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + maxCharacters;
    const code = text.charCodeAt(end - 1);
    const isWithinPair = end < text.length && code >= 0xd800 && code < 0xdc00;
    pieces.push(text.slice(start, isWithinPair ? end - 1 : end));
    start = isWithinPair ? end - 1 : end;
  }
  const [first = '', ...following] = pieces;
  Reflect.set(globalThis, rest, following);
  return { text: first, following: following.length };
}
