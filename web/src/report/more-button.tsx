import { plural } from '../lib/formats.ts';
import { Button } from '../parts/button.tsx';

/** Shows the rest of a list; on paper, says how many are left. */
export function MoreButton({
  left,
  of,
  noun,
  onMore,
}: {
  readonly left: number;
  readonly of: number;
  readonly noun: string;
  onMore(): void;
}) {
  if (left === 0) return null;
  return (
    <>
      <Button onClick={onMore}>Show all {plural(of, noun)}</Button>
      <p className="on-paper">And {plural(left, `more ${noun}`)}.</p>
    </>
  );
}
