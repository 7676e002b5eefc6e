import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** The response of a name server: addresses, non-existence, an error, or nothing. */
export type NameAnswer = readonly string[] | 'missing' | 'error' | 'silent';

export interface NameServer {
  /** As `createNameResolver` takes it. */
  readonly address: string;
  /** `NAME A` or `NAME AAAA`, in the order in which they were asked. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const RCODES = { missing: 3, error: 2 } as const;

/** A name server of 127.0.0.1 (RFC 1035). */
export async function startNameServer(
  answerTo: (name: string, type: 'A' | 'AAAA') => NameAnswer | Promise<NameAnswer>,
): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', async (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const family = TYPES[type];
    questions.push(`${name} ${family}`);
    const answer = family === undefined ? [] : await answerTo(name, family);
    if (answer === 'silent') return;
    const isError = answer === 'missing' || answer === 'error';
    const records = isError ? [] : answer.filter((address) => isIPv4(address) === (family === 'A')).map(record);
    const head = Buffer.from(query.subarray(0, 12));
    // A response, with recursion, to one question, without further sections.
    head.writeUInt16BE(0x8180 | (isError ? RCODES[answer] : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** For the name of the query, with a TTL of 0. */
function record(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const fields = Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([fields, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
