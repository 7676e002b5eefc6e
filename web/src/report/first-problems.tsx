import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Item } from '../api/client.ts';
import { fixesQuery } from '../api/queries/reports.ts';
import { plural } from '../lib/formats.ts';
import { QueryView } from '../live/query-view.tsx';
import { MoreButton } from './more-button.tsx';
import { Problem } from './problem.tsx';
import { useReport } from './report-context.tsx';
import styles from './shared-report.module.css';

type Fix = Item<'fix'>;

/** How much problems hinder visitors, the worst first, with the heading of these problems. */
const HEADINGS: readonly (readonly [hindrance: Fix['hindrance'], heading: string])[] = [
  ['severe', 'Most important'],
  ['some', 'Less important'],
  ['none', 'Least important'],
];

/** The fix plan for readers: what hinders visitors most precedes what makes the most pages pass. */
export function FirstProblems() {
  const { report } = useReport();
  const fixes = useQuery(fixesQuery(report.id));
  return (
    <section className={styles.problems} aria-labelledby="first">
      <h2 id="first">What matters most</h2>
      <QueryView query={fixes} rows={3}>
        {({ items, leftOut }) => {
          if (items.length === 0) return <p>Nothing: no page has an error.</p>;
          const namesScreenReader = items.some(({ effect_on_visitors: effect }) => effect?.includes('screen reader'));
          return (
            <>
              {namesScreenReader ? (
                <p>
                  A screen reader is a program for people who are blind or have low vision. It reads pages aloud or
                  shows them in braille.
                </p>
              ) : null}
              {sectionsOf(items).map(({ heading, problems, start }) => (
                <ProblemSection key={heading} heading={heading} problems={problems} start={start} />
              ))}
              {leftOut > 0 ? <p>{plural(leftOut, 'more cause')} of errors: see the lists of issues.</p> : null}
            </>
          );
        }}
      </QueryView>
    </section>
  );
}

/** Problems that hinder visitors to the same degree: each is one effect, with the fixes of all issue types that have it. */
interface Problems {
  readonly heading: string;
  readonly problems: readonly (readonly Fix[])[];
  /** The number of the first problem. */
  readonly start: number;
}

/**
 * Returns the sections that have problems, numbered in one sequence. Broken links hinder everyone, so they come first in their
 * section.
 */
function sectionsOf(items: readonly Fix[]): Problems[] {
  const sections: Problems[] = [];
  let start = 1;
  for (const [hindrance, heading] of HEADINGS) {
    const fixes = items
      .filter((fix) => fix.hindrance === hindrance)
      .toSorted((one, other) => Number(other.kind === 'link') - Number(one.kind === 'link'));
    const problems = [...Map.groupBy(fixes, (fix) => fix.effect_on_visitors ?? fix.message).values()];
    if (problems.length > 0) sections.push({ heading, problems, start });
    start += problems.length;
  }
  return sections;
}

/** The number of problems of a section that are shown at first. */
const shownFirst = 10;

function ProblemSection({ heading, problems, start }: Problems) {
  const [isLong, setLong] = useState(false);
  const shown = isLong ? problems : problems.slice(0, shownFirst);
  return (
    <>
      <h3>{heading}</h3>
      <ol start={start}>
        {shown.map((fixes) => (
          <Problem key={fixes[0]?.id} fixes={fixes} />
        ))}
      </ol>
      <MoreButton
        left={problems.length - shown.length}
        of={problems.length}
        noun="problem"
        onMore={() => setLong(true)}
      />
    </>
  );
}
