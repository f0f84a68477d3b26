// `stabletill rotate evidence-key`: makes the MACs of the database anew under the first key of EVIDENCE_KEY, and says what is left.

import type { MacKeys } from '@/lib/platform/crypto';
import type { Pool } from '@/lib/platform/database/db';
import { countMacs, remakeMacs, type Counted } from './remake';
import type { FailedRow } from './reseal';

export type EvidenceReport = {
  readonly remade: number;
  /** Rows that need a former key of the ring. */
  readonly remaining: number;
  /** Rows that no key of the ring verifies. */
  readonly refused: number;
  /** The first rows that could not be written, and those that no key verifies. */
  readonly named: readonly FailedRow[];
  readonly columns: Counted['columns'];
};

/** Makes MACs anew, unless `isCheck`, and counts afterwards: a process may have written a row under a former key meanwhile. */
export async function rotateEvidenceKey(pool: Pool, keys: MacKeys, isCheck: boolean): Promise<EvidenceReport> {
  const { remade, failed } = isCheck ? { remade: 0, failed: [] } : await remakeMacs(pool, keys);
  const { columns, refused } = await countMacs(pool, keys);
  const sum = (of: 'former' | 'refused') => columns.reduce((all, column) => all + column[of], 0);
  return { remade, remaining: sum('former'), refused: sum('refused'), named: [...failed, ...refused], columns };
}

export const isEvidenceDone = ({ remaining, refused }: EvidenceReport): boolean => remaining === 0 && refused === 0;

/** One JSON object, with the names of docs/operate/rotation.md. */
export const evidenceJson = ({ remade, remaining, refused, named, columns }: EvidenceReport): string =>
  JSON.stringify({ remade, remaining, refused, named, columns }, null, 2);

export function evidenceLines(report: EvidenceReport, isCheck: boolean): readonly string[] {
  const { remade, remaining, refused, named, columns } = report;
  return [
    ...(isCheck ? [] : [`${remade} MACs were made anew under the first key of EVIDENCE_KEY.`]),
    ...columns.map(
      (one) => `  ${one.table}.${one.column}: ${one.current} first key, ${one.former} former, ${one.refused} refused`,
    ),
    ...named.map(({ table, column, id, reason }) => `REFUSED  ${table}.${column} of ${id}: ${reason}`),
    remaining === 0
      ? 'No row needs a former key of EVIDENCE_KEY.'
      : `${remaining} rows need a former key. Run "stabletill rotate evidence-key" once every worker and the signer have this EVIDENCE_KEY.`,
    ...(refused === 0 ? [] : [`${refused} rows are under none of the keys: see docs/operate/rotation.md.`]),
  ];
}
