// The accessibility rules that a page breaks, found by axe in the page itself.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `impact`: minor, moderate, serious or critical. `nodes`: the elements that break the rule, as HTML. */
export type Violation = { id: string; impact: string; nodes: { html: string }[] };
type Axe = { axe: { run: (options: { resultTypes: string[] }) => Promise<{ violations: Violation[] }> } };

/** Every rule that the current page breaks, whatever its severity. */
export async function violationsOf(page: Page): Promise<Violation[]> {
  await page.evaluate(AXE);
  // The elements that pass are not collected: that halves the time on a long page.
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as Axe).axe.run({ resultTypes: ['violations'] }),
  );
  return violations;
}

/** The serious and critical ones. */
export const seriousViolationsOf = async (page: Page): Promise<Violation[]> =>
  (await violationsOf(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical');
