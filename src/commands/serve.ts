import { requireFreePort } from '../app.ts';
import { type Config, configOfProcess } from '../config.ts';
import { runUntilStopped } from './run-app.ts';

/** Runs API, workers and schedules in this process until stopped. */
export async function serve(): Promise<void> {
  const config = configOfProcess();
  await requireFreePort(config);
  await runUntilStopped(config, { isWorker: false }, async (app) => {
    const address = await app.listen();
    process.stdout.write(greeting(config, address));
    await app.startWork();
    app.startTimedWork();
  });
}

function greeting(config: Config, address: string): string {
  const token =
    config.adminToken === null
      ? 'run  npm start -- token create --account admin@localhost'
      : 'the value of SITEWARDEN_ADMIN_TOKEN';
  const origin = config.baseUrl ?? address;
  return `
  sitewarden is listening on ${address}

  API      ${origin}/api/v1
  Docs     ${origin}/api/docs
  Token    ${token}
  Data     ${config.dataDir} (other commands require the same SITEWARDEN_DATA_DIR)
  Stop     Ctrl-C

`;
}
