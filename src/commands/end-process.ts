/**
 * Ends this process with its status as soon as everything written has been read. The command has closed its parts before;
 * what is open nevertheless, such as the channel to the process that started this one, does not keep it.
 */
export async function endProcess(): Promise<never> {
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
  process.exit();
}
