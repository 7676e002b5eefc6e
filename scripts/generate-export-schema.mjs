// Writes the published JSON Schemas to docs/schemas, from this checkout: the schema of exported reports from the resources, and
// the schema of configuration files from the attributes of reports.
//   npm run export-schema
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_SCHEMA_NAME, reportJsonSchema } from '../src/api/openapi/report-schema.ts';
import { CONFIGURATION_SCHEMA_NAME, configurationJsonSchema } from '../src/commands/configuration-file/schema.ts';

const schemas = { [REPORT_SCHEMA_NAME]: reportJsonSchema(), [CONFIGURATION_SCHEMA_NAME]: configurationJsonSchema() };
for (const [name, schema] of Object.entries(schemas)) {
  const path = join(import.meta.dirname, '..', 'docs', 'schemas', name);
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
}
