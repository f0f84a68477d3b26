// What the three formats of a statement share: the head, names of kinds, and amounts as exact decimal text. Pure.

import { tokenText } from '@/lib/dashboard/payment/payment';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import type { Period } from '@/lib/ledger/statements/period';
import type { DecimalsOf } from '@/lib/ledger/sources';
import english from '@/messages/dashboard/en.json';

/** `end`: of the period, or now while it has not ended. */
export type StatementHead = StatementScope & {
  readonly period: Period;
  readonly end: Date;
  readonly decimalsOf: DecimalsOf;
};

/** The text of a file, chunk by chunk. */
export type Written = AsyncGenerator<string, void, undefined>;

/** Without trailing zeros beyond two decimals; nothing is rounded. */
export function amountText(
  baseUnits: bigint,
  asset: { readonly network: string; readonly currency: string },
  decimalsOf: DecimalsOf,
): string {
  const text = tokenText(baseUnits < 0n ? -baseUnits : baseUnits, decimalsOf(asset));
  return baseUnits < 0n ? `-${text}` : text;
}

/** Looks each token up once, because a statement has a million amounts. */
export function remembered(decimalsOf: DecimalsOf): DecimalsOf {
  const known = new Map<string, number>();
  return (asset) => {
    const key = `${asset.network} ${asset.currency}`;
    const decimals = known.get(key) ?? decimalsOf(asset);
    known.set(key, decimals);
    return decimals;
  };
}

/** English in every language, so that rules of accounting programs can match it. A kind of a newer version is its own name. */
export const kindText = (kind: string): string =>
  (english as Readonly<Record<string, string>>)[`balKind_${kind}`] ?? kind;

/** The day before a moment at midnight, and the day of any other. */
export const lastDay = (end: Date): string => new Date(end.getTime() - 1).toISOString().slice(0, 10);
