// Lints the OpenAPI document of this checkout (rules: redocly.yaml).
//   npm run openapi
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../src/api/openapi/document.ts';
import { ENDPOINTS } from '../src/api/resources/endpoints.ts';

const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(projectDirectory, '.test-data', 'openapi.json');

mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(openApiDocument(ENDPOINTS, 'http://127.0.0.1:3000'), null, 2));
const linter = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
const { status, stderr } = spawnSync(process.execPath, [linter, 'lint', file], {
  cwd: projectDirectory,
  encoding: 'utf8',
  // Without telemetry.
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
  stdio: ['ignore', 'inherit', 'pipe'],
});
if (status !== 0) process.stderr.write(stderr);
process.exitCode = status ?? 1;
