/** An event of `text/event-stream`. A comment has no name and no data. */
export interface TextEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** Bounds what a broken stream may make the browser keep. */
const eventMaxCharacters = 4_194_304;

/** Parses a stream of events (HTML standard, section 9.2), as far as the service uses it: lines end with a line feed. */
export async function* eventsIn(chunks: AsyncIterable<string>): AsyncGenerator<TextEvent> {
  let rest = '';
  for await (const chunk of chunks) {
    rest += chunk;
    if (rest.length > eventMaxCharacters) throw new RangeError('An event is too large.');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): TextEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const before = fields.get(name);
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value);
  }
  return { name: fields.get('event') ?? '', data: fields.get('data') ?? '', id: fields.get('id') ?? null };
}
