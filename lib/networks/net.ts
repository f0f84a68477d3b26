// What an address keeps of what it was sent within one transaction: whatever it sends away again does not count.

export type Move = { readonly contract: string; readonly from: string; readonly to: string; readonly value: bigint };

/**
 * What stays: whatever an address sends away within the transaction is taken from its incoming transfers, the first ones
 * first, so that every node's answer gives the same result (chains.md section 6, row 26).
 */
export function netOf<M extends Move>(incoming: readonly M[], movements: readonly Move[]): M[] {
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
