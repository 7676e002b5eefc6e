import { useEffect, useRef } from 'react';
import type { Item } from '../../api/client.ts';
import { ACTION_TITLES } from './step-list.tsx';
import styles from './steps.module.css';

/** The result of steps that were tried: the page after each, and which one failed. */
export function TriedSteps({
  test,
  what,
  isOutdated,
}: {
  readonly test: Item<'login_test'> | Item<'journey_test'>;
  readonly what: 'login' | 'journey';
  /** Whether the steps have been changed since. */
  readonly isOutdated: boolean;
}) {
  const warning = 'warning' in test ? test.warning : null;
  return (
    <>
      {isOutdated ? <p>The steps have changed since this result: try them again.</p> : null}
      <p>{test.works ? `The ${what} works.` : test.error}</p>
      {warning === null ? null : <p>{warning}</p>}
      <ol className={styles.screenshots}>
        {test.steps.map(({ action, done, screenshot }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one test do not change.
          <li key={`${test.id} ${index}`}>
            Step {index + 1} ({ACTION_TITLES[action]}):{' '}
            {done ? 'done' : index + 1 === test.failed_step ? 'failed' : 'not reached'}
            {screenshot === null ? null : <Screenshot url={screenshot} title={`The page after step ${index + 1}`} />}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Draws an image from a `data:` URL, which the policy of the dashboard does not allow as the source of an image. */
function Screenshot({ url, title }: { readonly url: string; readonly title: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (character) => character.charCodeAt(0));
    void createImageBitmap(new Blob([bytes], { type: 'image/webp' })).then((image) => {
      if (canvas.current === null) return;
      Object.assign(canvas.current, { width: image.width, height: image.height });
      canvas.current.getContext('2d')?.drawImage(image, 0, 0);
    });
  }, [url]);
  return <canvas ref={canvas} role="img" aria-label={title} className={styles.screenshot} />;
}
