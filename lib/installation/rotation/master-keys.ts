// `stabletill rotate master-keys` and `audit-key`: re-seals what is under a former master key, and says which former keys are still needed.

import { chainKey } from '@/lib/merchants/audit/chain';
import { sealingVersion, type MasterKeys } from '@/lib/platform/crypto';
import type { Pool } from '@/lib/platform/database/db';
import type { LostMails } from './lost-mails';
import { countAudit, countSealed, reseal, type ColumnCount, type FailedRow } from './reseal';

export type MasterKeysReport = {
  /** The version that seals. */
  readonly seals: number;
  readonly resealed: number;
  readonly failed: readonly FailedRow[];
  readonly columns: readonly ColumnCount[];
  readonly auditEntries: ReadonlyMap<number, number>;
  /** Rows under another version than the one that seals. */
  readonly remaining: number;
  /** Versions that a row needs and the ring lacks. */
  readonly missing: readonly number[];
  /** Versions that only the audit log needs and the ring lacks. When such a key is lost, no run can change that. */
  readonly missingInAudit: readonly number[];
  /** Versions of the ring whose key no row needs, besides the one that seals. */
  readonly unused: readonly UnusedVersion[];
};

/** `isInAudit`: the audit log needs what is derived from it. `isNext`: above the version that seals. */
type UnusedVersion = { readonly version: number; readonly isInAudit: boolean; readonly isNext: boolean };

/** Re-seals, unless `isCheck`, and counts. */
export async function rotateMasterKeys(pool: Pool, keys: MasterKeys, isCheck: boolean): Promise<MasterKeysReport> {
  const { resealed, failed } = isCheck ? { resealed: 0, failed: [] } : await reseal(pool, keys);
  return { resealed, failed, ...(await readKeyUse(pool, keys)) };
}

/** Which versions rows and audit entries need. Changes nothing. */
export async function readKeyUse(pool: Pool, keys: MasterKeys): Promise<Omit<MasterKeysReport, 'resealed' | 'failed'>> {
  const [columns, auditEntries] = [await countSealed(pool), await countAudit(pool)];
  const seals = sealingVersion(keys);
  const inRows = columns.flatMap(({ rows }) => [...rows]);
  const remaining = inRows.reduce((sum, [version, rows]) => (version === seals ? sum : sum + rows), 0);
  const needed = new Set(inRows.map(([version]) => version));
  const missing = [...needed].filter((version) => !keys.has(version)).toSorted((a, b) => a - b);
  const missingInAudit = [...auditEntries.keys()]
    .filter((version) => !needed.has(version) && chainKey(keys, version) === null)
    .toSorted((a, b) => a - b);
  const unused = [...keys.keys()]
    .filter((version) => version !== seals && !needed.has(version))
    .map((version) => ({ version, isInAudit: auditEntries.has(version), isNext: version > seals }));
  return { seals, columns, auditEntries, remaining, missing, missingInAudit, unused };
}

export const isDone = ({ remaining, failed, missing }: MasterKeysReport): boolean =>
  remaining === 0 && failed.length === 0 && missing.length === 0;

/** One JSON object, with the names of docs/operate/rotation.md. */
export const masterKeysJson = (report: MasterKeysReport, lost: LostMails | null): string =>
  JSON.stringify(
    {
      ...(lost ? { given_up_mails: lost } : {}),
      seals: report.seals,
      resealed: report.resealed,
      failed: report.failed,
      remaining: report.remaining,
      columns: report.columns.map(({ rows, ...place }) => ({ ...place, rows_by_version: Object.fromEntries(rows) })),
      audit_entries_by_version: Object.fromEntries(report.auditEntries),
      missing_versions: report.missing,
      missing_in_audit_log: report.missingInAudit,
      unused_versions: report.unused.map(({ version, isInAudit, isNext }) => ({
        ...{ version, is_in_audit_log: isInAudit, is_next: isNext },
      })),
    },
    null,
    2,
  );

export function masterKeysLines(report: MasterKeysReport, isCheck: boolean): readonly string[] {
  const { seals, resealed, failed, columns, remaining, missing, missingInAudit, unused } = report;
  return [
    `Version ${seals} of MASTER_KEYS seals.${isCheck ? '' : ` ${resealed} rows were re-sealed.`}`,
    ...columns.map(({ table, column, rows }) => `  ${table}.${column}: ${countsOf(rows)}`),
    `  audit_entries (never re-sealed): ${countsOf(report.auditEntries)}`,
    ...failed.map(({ table, column, id, reason }) => `FAILED  ${table}.${column} of ${id}: ${reason}`),
    ...missing.map((version) => `MISSING  ${missingSentence(version)}${mailsSentence(columns, version)}`),
    ...missingInAudit.map((version) => `WARNING  ${missingInAuditSentence(version)}`),
    remaining === 0
      ? `No row is under another version.`
      : `${remaining} rows are under another version. Run "stabletill rotate master-keys" once every process has this MASTER_KEYS.`,
    ...unused.map(unusedSentence),
  ];
}

/** Empty when no mail needs the version. */
function mailsSentence(columns: readonly ColumnCount[], version: number): string {
  const mails = columns.find(({ table }) => table === 'mails')?.rows.get(version) ?? 0;
  if (mails === 0) return '';
  return ` Mails under version ${version} that are not sent: ${mails}. If the key is lost, "--give-up-mails ${version}" removes them.`;
}

export const lostMailsLines = ({ count, named }: LostMails): readonly string[] => [
  ...named.map(({ id, recipient, subject }) => `GIVEN UP  mail ${id} to ${recipient}, "${subject}"`),
  `${count} mails were removed unsent.`,
];

/** Version 0: of rows that are too short to name their key. */
export const missingSentence = (version: number): string =>
  version === 0
    ? 'Rows are damaged: they name no master key.'
    : `Version ${version} is needed and MASTER_KEYS lacks it: put its entry back.`;

export const missingInAuditSentence = (version: number): string =>
  `The audit log has entries under version ${version}, which MASTER_KEYS lacks: put its entry back, unless the key is lost.`;

const unusedSentence = ({ version, isInAudit, isNext }: UnusedVersion): string => {
  if (isNext) {
    const instead = isInAudit
      ? `put what "stabletill rotate audit-key ${version}" prints in its place`
      : 'remove its entry';
    return `Version ${version} does not seal, and seals no row: use it next, or after going back ${instead}.`;
  }
  return isInAudit
    ? `Version ${version} seals no row. The audit log needs it: put what "stabletill rotate audit-key ${version}" prints in its place.`
    : `Version ${version} is not needed: remove its entry.`;
};

const countsOf = (rows: ReadonlyMap<number, number>): string =>
  rows.size === 0
    ? 'none'
    : [...rows]
        .toSorted(([one], [other]) => one - other)
        .map(([version, count]) => `${count} under version ${version}`)
        .join(', ');

/**
 * The entry of MASTER_KEYS that verifies the audit log's entries of a version and opens no secret. Null when the version is not in the ring.
 */
export function auditEntryOf(keys: MasterKeys, version: number): string | null {
  const key = chainKey(keys, version);
  return key && `${version}:${key.key.toString('base64')}:audit`;
}
