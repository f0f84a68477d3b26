// The net amounts that an address gains or loses in one transaction. What it receives and sends on in the same transaction counts
// as neither.

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

/** The outgoing transfers, less what the address receives in the same transaction: the counterpart of `netGains`. */
export const netLosses = <M extends Move>(outgoing: readonly M[], movements: readonly Move[]): M[] =>
  netGains(outgoing.map(reversed), movements.map(reversed)).map(reversed);

const reversed = <M extends Move>(move: M): M => ({ ...move, from: move.to, to: move.from });
