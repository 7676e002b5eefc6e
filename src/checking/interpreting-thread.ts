import { serveThread } from '../platform/thread.ts';
import { interpretCheck } from './interpret-check.ts';

/** The script of the thread that `createInterpreter` starts. */

serveThread(interpretCheck);
