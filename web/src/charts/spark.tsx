import styles from './spark.module.css';

const width = 72;
const height = 24;

/** A trend as a small line. The label describes it in words. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const largest = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map((value, index) => [index * step, height - 2 - (value / largest) * (height - 4)] as const);
  const [lastX, lastY] = points.at(-1) ?? [0, height];
  return (
    <svg className={styles.spark} width={width} height={height} role="img" aria-label={label}>
      <polyline points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')} />
      <circle cx={Math.min(lastX, width - 2)} cy={lastY} r="2" />
    </svg>
  );
}
