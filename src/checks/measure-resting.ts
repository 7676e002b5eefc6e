import { Gauge, type Registry } from 'prom-client';
import type { CheckEngine } from './check-engine.ts';
import { engineOf } from './registry.ts';

/** Shows which parts rest, so that their missing processes are not mistaken for a fault. */
export function measureResting(registry: Registry, engines: readonly CheckEngine[]): void {
  new Gauge({
    name: 'sitewarden_part_resting',
    help: '1 while the part has stopped because there is no work',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      for (const { kind, isResting } of engines) {
        const part = engineOf(kind).dependsOn;
        if (part !== null && isResting !== undefined) this.set({ part }, isResting() ? 1 : 0);
      }
    },
  });
}
