// Numbers that a scrape reads, and their text in Prometheus' format. A number without a sample is left out: zero means that something was
// counted and there was none, never that nothing is known.

import { Gauge, Registry } from 'prom-client';

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };
/** `name` without the prefix of this service. */
export type Numbers = { readonly name: string; readonly help: string; readonly samples: readonly Sample[] };

/** A row of a query that names its own numbers. */
export type NamedRow = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export async function textOf(numbers: readonly Numbers[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of numbers) {
    if (samples.length === 0) continue;
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name: `stabletill_${name}`, help, labelNames, registers: [registry] });
    for (const { labels, value } of samples) gauge.set(labels, value);
  }
  return registry.metrics();
}

/** The samples of each name, in the order of `help`. */
export const numbersOf = (help: Readonly<Record<string, string>>, rows: readonly NamedRow[]): Numbers[] =>
  Object.entries(help).map(([name, text]) => ({
    name,
    help: text,
    samples: rows.filter((row) => row.name === name).map(({ labels, value }) => ({ labels, value })),
  }));

/** Whole tokens or coins. Precise enough for a graph: Prometheus uses floating point only. */
export const wholes = (units: bigint | string, decimals: number): number => Number(units) / 10 ** decimals;
