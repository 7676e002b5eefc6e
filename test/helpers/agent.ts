import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { compileCache } from './command-line.ts';
import { patienceMs } from './patience.ts';

/** The result of a tool. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** An agent, as far as the server sees one: the client of the official SDK. */
export interface Agent {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** The version of the protocol that an agent requests: the one of 2025, or the current one. */
export type Era = 'legacy' | 'auto';

/** For starting a process, and for tools that wait for a report. */
const patience = { timeout: patienceMs };

/** Connects over HTTP. */
export function agentAt(url: string, token: string | null, era: Era = 'auto'): Promise<Agent> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), era);
}

/** Starts a process and connects to its standard input and output. */
export function agentOf(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  era: Era = 'auto',
): Promise<Agent> {
  // Settings of the machine that runs the tests must have no effect.
  const bare = Object.entries(process.env).filter(([name]) => !/^(SITEWARDEN_|NODE_|DATABASE_URL$)/.test(name));
  const all = { ...(Object.fromEntries(bare) as Record<string, string>), ...compileCache, ...env };
  return connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], env: all, stderr: 'inherit' }),
    era,
  );
}

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport, era: Era): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(transport, patience);
  return {
    client,
    async call(name, args = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: args }, patience);
      const text = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
      return { text, isError };
    },
    close: () => client.close(),
  };
}
