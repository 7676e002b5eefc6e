import { useEffect, useRef, useState } from 'react';
import { count } from '../lib/formats.ts';
import { ticksTo } from '../lib/ticks.ts';
import styles from './line-chart.module.css';

export interface Series {
  readonly key: string;
  readonly name: string;
  /** One value per label; null for a gap. */
  readonly values: readonly (number | null)[];
}

/** A sign above one of the labels, with a line down to it. */
export interface ChartMark {
  /** The index of the label. */
  readonly at: number;
  /** One letter. */
  readonly sign: string;
  /** The tooltip. */
  readonly words: string;
}

/** More lines are hard to distinguish. */
export const SERIES_MAX = 6;

const height = 220;
const left = 44;
const bottom = 24;
const top = 8;
/** Height of a sign with the space below it. */
const signHeight = 20;
const labelWidth = 72;
const firstWidth = 640;

/**
 * Values over time, as lines that differ in color, dashes and marks. Show the numbers in a table, too: screen readers get only
 * the title.
 */
export function LineChart({
  title,
  labels,
  series,
  most,
  format = count,
  marks = [],
  signs = [],
}: {
  readonly title: string;
  /** Labels of the horizontal axis, oldest first. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** The end of the vertical axis, if not derived from the values. */
  readonly most?: number;
  /** Formats the values of the vertical axis. Default: whole numbers. */
  readonly format?: (value: number) => string;
  readonly marks?: readonly ChartMark[];
  /** The signs of marks and what they mean, for the legend. */
  readonly signs?: readonly (readonly [sign: string, meaning: string])[];
}) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const shown = series.slice(0, SERIES_MAX);
  const highest = Math.max(0, ...shown.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksTo(most ?? (highest === 0 ? 1 : highest), 4);
  const largest = ticks.at(-1) ?? 1;
  const right = width - 12;
  const xOf = (index: number): number =>
    labels.length < 2 ? (left + right) / 2 : left + (index / (labels.length - 1)) * (right - left);
  // Signs of one label are stacked, so that they never overlap the signs of the next one.
  const stacks = Map.groupBy(marks, ({ at }) => at);
  const start = top + signHeight * Math.max(0, ...[...stacks.values()].map((stack) => stack.length));
  const full = height - top + start;
  const yOf = (value: number): number => full - bottom - (value / largest) * (full - bottom - start);
  // As many labels as fit, always including the newest.
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor((right - left) / labelWidth))));
  const axis = labels
    .map((label, index) => ({ label, index }))
    .filter(({ index }) => (labels.length - 1 - index) % every === 0);
  return (
    <figure ref={frame} className={styles.chart}>
      <svg width={width} height={full} viewBox={`0 0 ${width} ${full}`} role="img" aria-label={title}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={left} x2={right} y1={yOf(tick)} y2={yOf(tick)} />
            <text className={styles.label} x={left - 8} y={yOf(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {[...stacks].map(([at, stack]) => (
          <g key={at}>
            <line className={styles.marked} x1={xOf(at)} x2={xOf(at)} y1={top} y2={full - bottom} />
            {stack.map(({ sign, words }, level) => (
              <Sign key={sign} x={xOf(at)} y={top + level * signHeight} sign={sign} words={words} />
            ))}
          </g>
        ))}
        {axis.map(({ label, index }) => (
          <text key={index} className={styles.label} x={xOf(index)} y={full - 6} textAnchor={anchorOf(index, labels)}>
            {label}
          </text>
        ))}
        {shown.map(({ key, values }, number) => (
          <Line
            key={key}
            number={number}
            points={values.map((value, index) => (value === null ? null : [xOf(index), yOf(value)]))}
          />
        ))}
      </svg>
      <figcaption className={styles.legend}>
        {shown.map(({ key, name }, number) => (
          <span key={key}>
            <svg width="28" height="12" aria-hidden="true">
              <Line
                number={number}
                points={[
                  [2, 6],
                  [14, 6],
                  [26, 6],
                ]}
              />
            </svg>{' '}
            {name}
          </span>
        ))}
        {signs.map(([sign, meaning]) => (
          <span key={sign}>
            <svg width="18" height="18" aria-hidden="true">
              <Sign x={9} y={1} sign={sign} />
            </svg>{' '}
            {meaning}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A letter in a box whose top is at `y`. */
function Sign({
  x,
  y,
  sign,
  words,
}: {
  readonly x: number;
  readonly y: number;
  readonly sign: string;
  readonly words?: string;
}) {
  return (
    <g className={styles.sign}>
      {words === undefined ? null : <title>{words}</title>}
      <rect x={x - 8} y={y} width={16} height={16} rx={3} />
      <text x={x} y={y + 12} textAnchor="middle">
        {sign}
      </text>
    </g>
  );
}

type Point = readonly [x: number, y: number];

function Line({ points, number }: { readonly points: readonly (Point | null)[]; readonly number: number }) {
  const marks = points.filter((point) => point !== null);
  // A gap in the values is a gap in the line.
  const path = points
    .map((point, index) =>
      point === null ? '' : `${points[index - 1] == null ? 'M' : 'L'}${point[0].toFixed(1)} ${point[1].toFixed(1)}`,
    )
    .join('');
  return (
    <g className={styles[`series${number}`]}>
      <path className={styles.line} d={path} />
      {marks.map(([x, y]) => (
        <path key={x} className={styles.mark} d={MARKS[number % MARKS.length]?.(x, y)} />
      ))}
    </g>
  );
}

/** A circle, a square, a triangle and a diamond. */
const MARKS: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`,
  (x, y) => `M${x - 3} ${y - 3}h6v6h-6z`,
  (x, y) => `M${x} ${y - 4}l4 7h-8z`,
  (x, y) => `M${x} ${y - 4}l4 4l-4 4l-4 -4z`,
];

function anchorOf(index: number, labels: readonly string[]): 'start' | 'middle' | 'end' {
  if (labels.length === 1) return 'middle';
  return index === 0 ? 'start' : index === labels.length - 1 ? 'end' : 'middle';
}

/** The width of an element in pixels. Scaling the chart instead would scale its texts, too. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(firstWidth);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(240, Math.floor(entry.contentRect.width)));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
