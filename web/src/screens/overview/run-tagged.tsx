import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { runSelected } from '../../api/changes/bulk.ts';
import { plural } from '../../lib/formats.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import type { BulkResultOf } from './bulk-result.tsx';

/** A button that runs all sites with any of some tags that also match the other filters, on all pages of the list. */
export function RunTagged({
  tags,
  search: { text, need },
  total,
  onDone,
}: {
  /** Separated by commas. */
  readonly tags: string;
  readonly search: SearchOn<'/'>;
  /** The number of these sites. */
  readonly total: number;
  readonly onDone: (result: BulkResultOf) => void;
}) {
  const queries = useQueryClient();
  const change = useChange();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    await change(async () => {
      const filters = { ...(text !== undefined && { text }), ...(need !== undefined && { attention: [need] }) };
      onDone({ verb: 'Started', outcome: await runSelected({ tags, ...filters }) });
    });
    await Promise.all(['reports', 'sites'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    setBusy(false);
  };
  return (
    <Button isBusy={isBusy} onClick={() => (isBusy ? undefined : void run())}>
      Run {total === 1 ? 'the site' : `all ${plural(total, 'site')}`} tagged {tags}
    </Button>
  );
}
