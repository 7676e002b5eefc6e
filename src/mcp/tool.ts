import type { Static, TObject } from 'typebox';
import type { Client } from '../../packages/client/client.ts';
import { ApiError, OfflineError } from '../../packages/client/errors.ts';
import { AppError } from '../platform/errors.ts';

/** The progress of a tool. */
export interface Progress {
  readonly progress: number;
  /** Absent while it is unknown. */
  readonly total?: number;
  readonly message: string;
}

/** The context of a tool. */
export interface ToolCall {
  /** Acts for the account whose token the agent has, with its permissions and limits. */
  readonly api: Client;
  /** Where people read reports in the dashboard, without a trailing slash; null if no service listens. */
  readonly dashboard: string | null;
  /** Aborted when the agent gives up. */
  readonly signal: AbortSignal;
  /** Reports progress to the agent, if it requested progress and there is any. */
  onProgress(progress: Progress): Promise<void>;
}

/** A tool as agents see it. Its name matches its file name. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  /** Whether it only reads existing data: it starts no checks and costs no credits. */
  readonly readsOnly: boolean;
  /** @throws ToolProblem, ApiError, OfflineError */
  run(call: ToolCall, input: unknown): Promise<string>;
}

/** Defines a tool. When it runs, its input has already been checked against the schema. */
export function tool<Input extends TObject>(
  spec: Omit<Tool, 'run' | 'input'> & {
    readonly input: Input;
    run(call: ToolCall, input: Static<Input>): Promise<string>;
  },
): Tool {
  return { ...spec, run: (call, input) => spec.run(call, input as Static<Input>) };
}

/** Why a tool has no result, and what to do about it. */
export class ToolProblem extends Error {}

/** What to do about errors whose messages do not explain it. */
const HINTS: Readonly<Record<string, string>> = {
  not_found: 'list_reports shows the ids of reports, list_issues the ids of issues.',
  too_many_reports: 'Wait until a running report has ended. list_reports shows running reports.',
  conflict: 'get_report shows whether it is still running.',
};

/** Returns the message for an agent about an error; null if the error is a bug in this service. */
export function problemOf(error: unknown): string | null {
  if (error instanceof ToolProblem || error instanceof AppError) return error.message;
  if (error instanceof OfflineError) {
    return 'The service does not respond. Check its address and that it is running, then try again.';
  }
  if (!(error instanceof ApiError) || error.code === 'internal') return null;
  const wait = error.retryAfterSeconds === null ? '' : ` Try again in ${error.retryAfterSeconds} s.`;
  return `${error.message}${wait} ${HINTS[error.code] ?? ''}`.trimEnd();
}
