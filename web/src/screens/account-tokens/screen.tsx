import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { revokeApiToken } from '../../api/changes/api-tokens.ts';
import type { Item } from '../../api/client.ts';
import { apiTokensQuery } from '../../api/queries/account.ts';
import { AccountHead } from '../../frame/account-head.tsx';
import { AskDialog } from '../../frame/ask-dialog.tsx';
import { QueryView } from '../../frame/query-view.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { pageNumber } from '../../lib/search.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Section } from '../../parts/section.tsx';
import { tokenColumns, tokenName } from './columns.tsx';
import { NewToken } from './new-token.tsx';

/** What programs use the API with. */
export function AccountTokensScreen() {
  const { search } = useSearchState();
  const tokens = useQuery(apiTokensQuery({ 'page[number]': pageNumber(search['page']), 'page[size]': 25 }));
  const queries = useQueryClient();
  const [revoked, setRevoked] = useState<Item<'api_token'> | null>(null);
  return (
    <>
      <AccountHead />
      <NewToken />
      <Section title="Tokens">
        <QueryView query={tokens}>
          {({ items, page, pages, total }) =>
            items.length === 0 ? (
              <EmptyState title="You have no token">
                <p>Programs and the command line use the API with one. This browser needs none.</p>
              </EmptyState>
            ) : (
              <>
                <DataTable
                  caption="API tokens"
                  columns={tokenColumns(setRevoked)}
                  rows={items}
                  keyOf={({ id }) => id}
                  isStale={tokens.isPlaceholderData}
                />
                <Pager page={page} pages={pages} total={total} />
              </>
            )
          }
        </QueryView>
      </Section>
      <AskDialog
        title={revoked === null ? '' : `Revoke “${tokenName(revoked)}”?`}
        action="Revoke"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        run={async () => {
          if (revoked !== null) await revokeApiToken(revoked.id);
          await queries.invalidateQueries({ queryKey: ['api_tokens'] });
        }}
      >
        <p>Programs that use it are refused from now on. Nothing brings a token back.</p>
      </AskDialog>
    </>
  );
}
