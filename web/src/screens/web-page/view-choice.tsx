import { Button } from '../../parts/button.tsx';
import styles from './screen.module.css';
import type { PageView } from './use-selection.ts';

const TITLES: Readonly<Record<PageView, string>> = {
  issues: 'Issues',
  source: 'Source',
  picture: 'Picture',
  markup: 'Markup',
};

/** How to look at the page. On a phone its issues are one of the views. */
export function ViewChoice({
  view,
  isNarrow,
  onChoose,
}: {
  readonly view: PageView;
  readonly isNarrow: boolean;
  readonly onChoose: (view: PageView) => void;
}) {
  const views: readonly PageView[] = isNarrow
    ? ['issues', 'source', 'picture', 'markup']
    : ['source', 'picture', 'markup'];
  return (
    <fieldset className={styles.views}>
      <legend className="visually-hidden">View</legend>
      {views.map((each) => (
        <Button key={each} aria-pressed={each === view} onClick={() => onChoose(each)}>
          {TITLES[each]}
        </Button>
      ))}
    </fieldset>
  );
}
