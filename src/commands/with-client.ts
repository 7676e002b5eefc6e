import { type Client, createClient } from '../../packages/client/client.ts';
import { ApiError, OfflineError } from '../../packages/client/errors.ts';
import { createApp } from '../app.ts';
import { AppError } from '../platform/errors.ts';
import { createLocalFetch } from './local-api.ts';
import { serviceAt } from './service-address.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';
import { duration, writeText } from './text-layout.ts';

/** Maximum number of attempts to read. */
const ATTEMPTS = 6;

interface ClientUse {
  /** The name of the command, for its token. */
  readonly command: string;
  /** The address of another service, whose token is in the settings; undefined for this installation. */
  readonly service: string | undefined;
  /** Whether this process works on the reports that it starts in this installation, if no other process does. */
  readonly works: boolean;
}

/**
 * Runs a command with a client of another service, or of this installation, where it acts for the first account.
 * @throws AppError invalid_usage if the service refuses a request or does not respond
 */
export async function withClient(
  terminal: Terminal,
  { command, service, works }: ClientUse,
  run: (client: Client, stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const config = terminal.config();
  const address = service === undefined ? null : serviceAt('--service', service, config);
  await runStoppable(terminal, async (stopped) => {
    const runWith = (client: Client): Promise<void> =>
      run(client, stopped).catch((cause: unknown) => {
        if (!stopped.aborted || cause instanceof AppError) throw unreadable(address?.url ?? 'This installation', cause);
      });
    if (address !== null) {
      const { stderr } = terminal;
      return runWith(
        createClient({
          ...address,
          attempts: ATTEMPTS,
          signal: stopped,
          onWait: (ms, { message }) => writeText(stderr, `${message} Trying again in ${duration(ms / 1_000)}.`),
        }),
      );
    }
    const app = await createApp(config, quietLogger(terminal, config), { isLongLived: works });
    const local = createLocalFetch(app, { name: `sitewarden ${command}`, works });
    try {
      await runWith(createClient({ url: 'http://127.0.0.1', fetch: local.fetch, attempts: ATTEMPTS, signal: stopped }));
    } finally {
      await local.close();
      await terminal.closeInTime(app.close);
    }
  });
}

function unreadable(title: string, cause: unknown): unknown {
  if (!(cause instanceof ApiError || cause instanceof OfflineError)) return cause;
  return new AppError('invalid_usage', `${title} refuses: ${cause.message}`, { cause });
}
