import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { count } from '../lib/formats.ts';
import type { Position } from '../lib/position.ts';
import type { Search } from '../lib/search.ts';
import type { KeyCommand } from '../live/use-keys.ts';
import { buttonClass } from '../parts/button.tsx';
import styles from './neighbors.module.css';

/** The position of the open item in the list that it was opened from. */
export interface Neighbors {
  /** The noun for items of the list, such as `page`. */
  readonly noun: string;
  /** Null while unknown, and if the item was not in the list when it was opened. */
  readonly position: Position | null;
  /** Returns the path and the search of another item's screen. @param at its position in the list, from 1 */
  linkTo(id: string, at: number): { readonly to: string; readonly search: Search };
}

/**
 * Returns the last known position of the open item in a list: an item that is fixed leaves the list, but keeps its
 * neighbors.
 * @param list identifies the list
 */
export function useLastPosition(list: string, position: Position | null): Position | null {
  const last = useRef({ list, position });
  useEffect(() => {
    if (position !== null || last.current.list !== list) last.current = { list, position };
  });
  return position ?? (last.current.list === list ? last.current.position : null);
}

/** The keys that open the neighbors. */
export function useNeighborKeys({ noun, position, linkTo }: Neighbors): readonly KeyCommand[] {
  const navigate = useNavigate();
  const open = (id: string | null | undefined, step: 1 | -1) => (): void => {
    if (position !== null && id != null) void navigate(linkTo(id, position.number + step));
  };
  return [
    { key: '[', title: `Previous ${noun}`, run: open(position?.previous, -1) },
    { key: ']', title: `Next ${noun}`, run: open(position?.next, 1) },
  ];
}

/** The position in the list, with links to the neighbors. */
export function NeighborLinks({ neighbors: { noun, position, linkTo } }: { readonly neighbors: Neighbors }) {
  if (position === null || position.total < 2) return null;
  const { number, total, previous, next } = position;
  const link = (id: string | null, step: 1 | -1, title: string, sign: string) =>
    id === null ? null : (
      <Link {...linkTo(id, number + step)} className={buttonClass('quiet')}>
        <span aria-hidden="true">{sign}</span>
        <span className="visually-hidden">
          {title} {noun}
        </span>
      </Link>
    );
  return (
    <nav aria-label={`Position of the ${noun}`} className={styles.neighbors}>
      {link(previous, -1, 'Previous', '‹')}
      <span>
        {count(number)} of {count(total)}
      </span>
      {link(next, 1, 'Next', '›')}
    </nav>
  );
}
