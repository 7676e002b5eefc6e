// Checks a site and lists its HTML issues.
//   npm install ./sitewarden-client-0.1.0.tgz
//   API=http://127.0.0.1:3000 TOKEN=sw_… node check.ts https://example.com/
import { createClient } from 'sitewarden-client';
import { ApiError } from 'sitewarden-client/errors';

const { API = 'http://127.0.0.1:3000', TOKEN = '' } = process.env;
const api = createClient({ url: API, token: TOKEN });

try {
  const attributes = { starting_url: process.argv[2] ?? '', max_pages: 20 };
  const { id } = await api.create<'report'>('/reports', attributes);
  const report = await api.finished(id);
  console.log(`${report.status}: ${report.num_pages} pages, ${report.checks.html?.issues.errors} errors`);
  for await (const issue of api.readAll<'common_html_issue'>(`/reports/${id}/common_html_issues`)) {
    console.log(`${issue.how_many} × ${issue.message}`);
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
