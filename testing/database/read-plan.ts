// What PostgreSQL really reads for a statement, for tests that hold the cost of a page.

import type { Pool } from '@/lib/platform/database/db';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
/** These tables always stay small. */
const SMALL = new Set(['chains', 'stores', 'api_keys', 'webhook_endpoints']);

/** Its access paths into growing tables, and the most rows it read in one. */
export async function readPlan(pool: Pool, { text, values }: { text: string; values: unknown[] }) {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => {
    const table = node['Relation Name'];
    return table !== undefined && !SMALL.has(table) && node['Actual Loops'] > 0;
  });
  const rowsRead = nodes.map(
    (node) => node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
  );
  return { ways: nodes.map((node) => node['Node Type']), rowsRead: Math.max(0, ...rowsRead) };
}
