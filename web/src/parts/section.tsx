import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

/** A part of a screen with its own heading. Sections in sections have the heading `h3`. */
export function Section({
  title,
  heading: Heading = 'h2',
  children,
}: {
  readonly title: string;
  readonly heading?: 'h2' | 'h3';
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {children}
    </section>
  );
}
