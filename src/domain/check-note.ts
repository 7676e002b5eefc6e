/** What is to be known about how a page was checked, beside what was found. A code with what its sentence is made of. */
export type CheckNote =
  | {
      /** The page did not come to rest in time, and was judged as it stood then. */
      readonly code: 'never_at_rest';
      /** `waiting_for` is the URL of the request that was under way for longest; null when the page changed without end. */
      readonly params: { readonly seconds: number; readonly waiting_for: string | null };
    }
  | {
      /** Nothing matched the selector of `wait_for` in time, and the page was judged as it stood then. */
      readonly code: 'wait_for_missing';
      readonly params: { readonly selector: string; readonly seconds: number };
    }
  | {
      /** Scripts ran, and the page shows nearly nothing all the same. */
      readonly code: 'nearly_empty';
      readonly params: Readonly<Record<string, never>>;
    };
