import { type Config, configOfProcess } from '../config.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** API, workers and schedules in one process, until stopped. */
export async function serve(): Promise<void> {
  const config = configOfProcess();
  await runUntilStopped(config, async (app) => {
    const address = await app.listen();
    process.stdout.write(greeting(config, address));
    await app.startWork();
    app.startTimedWork();
  });
}

function greeting(config: Config, address: string): string {
  const token =
    config.adminToken === null
      ? 'make one with  npm start -- token create --account admin@localhost'
      : 'the one in SITEWARDEN_ADMIN_TOKEN';
  return `\n  sitewarden is listening on ${config.baseUrl ?? address}\n\n  API      ${config.baseUrl ?? address}/api/v1\n  Docs     ${config.baseUrl ?? address}/api/docs\n  Token    ${token}\n  Stop     Ctrl-C\n\n`;
}
