// The net amounts that an address gains in one transaction. Amounts that it sends on in the same transaction do not count.

export type Move = { readonly contract: string; readonly from: string; readonly to: string; readonly value: bigint };

/**
 * The incoming transfers, less what the address sends away in the same transaction. The deduction starts with the first incoming
 * transfer, so that every node's answer gives the same result.
 */
export function netGains<M extends Move>(incoming: readonly M[], movements: readonly Move[]): M[] {
  const sent = new Map<string, bigint>();
  for (const { contract, from, value } of movements) {
    const key = `${contract}:${from}`;
    sent.set(key, (sent.get(key) ?? 0n) + value);
  }
  return incoming.flatMap((movement) => {
    const key = `${movement.contract}:${movement.to}`;
    const owed = sent.get(key) ?? 0n;
    const taken = owed < movement.value ? owed : movement.value;
    sent.set(key, owed - taken);
    return movement.value > taken ? [{ ...movement, value: movement.value - taken }] : [];
  });
}
