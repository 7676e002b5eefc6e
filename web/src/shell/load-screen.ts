/** How often an open page checks whether the service is back. */
const askMs = 3_000;

/**
 * Loads the code of a screen. If the service does not respond, waits until it does, and then reloads the page: browsers remember
 * failed loads of code, and would show their own error page instead.
 */
export function loadScreen<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      // After an update of the service, the code to which an open page refers no longer exists.
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
