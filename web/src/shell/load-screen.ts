/** How often an open page asks whether the service is back. */
const askMs = 3_000;

/**
 * Loads the code of a screen. If the service does not answer, waits until it does, and then reloads the page: browsers remember that
 * code could not be loaded, and would show a page of their own instead.
 */
export function loadScreen<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      // After an update of the service, the code that an open page refers to is gone.
      if (await answers()) throw error;
      while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, askMs));
      location.reload();
      return new Promise(() => undefined);
    }
  };
}

async function answers(): Promise<boolean> {
  const response = await fetch('/health/live').catch(() => null);
  return response?.ok === true;
}
