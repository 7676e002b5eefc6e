// Writes the JSON Schema of exported reports, docs/schemas/report-1.json, from the resources of this checkout.
//   npm run export-schema
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_SCHEMA_NAME, reportJsonSchema } from '../src/api/openapi/report-schema.ts';

const path = join(import.meta.dirname, '..', 'docs', 'schemas', REPORT_SCHEMA_NAME);
writeFileSync(path, `${JSON.stringify(reportJsonSchema(), null, 2)}\n`);
