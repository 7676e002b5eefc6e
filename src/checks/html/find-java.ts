import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../platform/errors.ts';
import { javaVersionTimeoutMs, oldestJavaVersion } from './limits.ts';

const run = promisify(execFile);

const REMEDY =
  `Install Java ${oldestJavaVersion} or later (Debian and Ubuntu: apt-get install default-jre-headless, ` +
  'macOS: brew install openjdk) so that `java -version` works.';

export interface Java {
  /** The absolute path of the executable. */
  readonly path: string;
  /** The feature release, such as 17 or 25. */
  readonly version: number;
}

/**
 * The Java that runs the validator: the one asked for (an executable, or a folder as in JAVA_HOME), and nothing else;
 * or else `java` on the PATH. Not the one that a script of the vnu-jar package would download without a checksum.
 * @throws AppError java_missing, naming the remedy
 */
export async function findJava(askedFor?: string): Promise<Java> {
  if (askedFor !== undefined) {
    const path = await executableIn(askedFor);
    const found = await describeJava(path);
    if (found !== null && found.version >= oldestJavaVersion) return found;
    const what =
      found === null ? `${path} is not a working Java` : `${path} is Java ${found.version}, which is too old`;
    throw new AppError('java_missing', `The HTML validator needs Java, and ${what}. ${REMEDY}`);
  }
  const onPath = await describeJava('java');
  if (onPath !== null && onPath.version >= oldestJavaVersion) return onPath;
  const what =
    onPath === null ? 'none was found' : `the one on the PATH is version ${onPath.version}, which is too old`;
  throw new AppError('java_missing', `The HTML validator needs Java, and ${what}. ${REMEDY}`);
}

async function executableIn(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, 'bin', 'java') : path;
}

/** Asks a Java about itself; null when there is none. Versions before 9 call themselves 1.8 and the like. */
async function describeJava(command: string): Promise<Java | null> {
  try {
    const { stderr } = await run(command, ['-XshowSettings:properties', '-version'], { timeout: javaVersionTimeoutMs });
    const version = /^\s*java\.specification\.version = (?:1\.)?(\d+)/m.exec(stderr)?.[1];
    const home = /^\s*java\.home = (.+)$/m.exec(stderr)?.[1];
    return version === undefined || home === undefined
      ? null
      : { path: join(home.trim(), 'bin', 'java'), version: Number(version) };
  } catch {
    return null;
  }
}
