import { useState } from 'react';
import { Button } from './button.tsx';

const shownMs = 2_000;

/** Copies a text, and confirms it in its label. */
export function CopyButton({
  text,
  title = 'Copy',
}: {
  readonly text: string | (() => string);
  readonly title?: string;
}) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    setSaid((await copyText(typeof text === 'string' ? text : text())) ? 'Copied' : 'Could not copy');
    setTimeout(() => setSaid(null), shownMs);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{said ?? title}</span>
    </Button>
  );
}

/** The clipboard API exists only over HTTPS and on loopback. */
async function copyText(text: string): Promise<boolean> {
  try {
    if ('clipboard' in navigator) await navigator.clipboard.writeText(text);
    else return copySelected(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
