// What one TRON endpoint says became of a payment (chains.md 3.2): its result in a solid block, or the proof that it expired:
// solid time well past its expiration, read first, and no trace of it on the solid side afterwards.

import { ChainError, type BlockRef } from '../chain';
import type { NetworkSpec } from '../networks';
import type { Fate, SentAttempt } from '../send';
import { tokensOf } from './decode';
import { lookUp } from './lookup';
import { readBlock, readHead, type TronNode } from './node';
import { obstacleOf } from './send-obstacles';
import { info } from './shapes';

/** Long enough to be handed over many times, short enough that its lapse is proven within minutes. */
export const VALID_MS = 300_000;
/** Nodes behind one address differ by some blocks; twenty of them lie between what one calls solid and what another may not know. */
const MARGIN_SECONDS = 60;

/** One endpoint's word. Throws a ChainError. */
export async function tronFate(node: TronNode, spec: NetworkSpec, attempt: SentAttempt): Promise<Fate> {
  const { hash, validity } = attempt;
  if (validity.kind !== 'time') throw new Error('a TRON transaction is valid until a time');
  const { final } = await readHead(node, spec);
  const reading = { tokens: tokensOf(spec), headOf: () => readHead(node, spec) };
  const report = await lookUp(node, reading, hash);
  const expired = final.time > validity.expiresAt + MARGIN_SECONDS;
  if (!report?.block) {
    if (expired)
      await requireHistory(node, spec, { final, since: validity.expiresAt - VALID_MS / 1000 - MARGIN_SECONDS });
    // What waits in a node's pool after it has expired is never taken into a block.
    if (expired) return { kind: 'lapsed', reason: 'it expired, and no solid block holds it', finalized: final.time };
    return report ? { kind: 'seen', hash, confirmations: 0 } : { kind: 'waiting' };
  }
  const { block, missing, succeeded, confirmations, fee } = report;
  const cost = fee === undefined ? {} : { fee };
  if (missing !== 0) return { kind: 'seen', hash, confirmations };
  if (!succeeded) return { kind: 'reverted', hash, reason: await revertReason(node, attempt), ...cost };
  const { order, from } = attempt;
  const moved = report.movements.filter(
    (one) => one.contract === order.contract && one.payer === from && one.recipient === order.to,
  );
  if (moved.length === 1 && moved[0]?.amount === order.amount) return { kind: 'landed', hash, block, ...cost };
  return { kind: 'unclear', hash, reason: 'it succeeded without moving exactly what was ordered' };
}

/**
 * A node that was started from a snapshot knows neither a payment from before it nor that it does not know. It must have a solid
 * block that is no younger than `since`, Unix seconds. Throws `unavailable` when it has not.
 */
async function requireHistory(
  node: TronNode,
  { blockMs }: NetworkSpec,
  { final, since }: { readonly final: BlockRef; readonly since: number },
): Promise<void> {
  const most = Math.ceil(((final.time - since) * 1000) / blockMs);
  if (await readBlock(node, 'walletsolidity', Math.max(0, final.number - most))) return;
  throw new ChainError(
    'unavailable',
    `${node.name} has no blocks from before a payment was made: it cannot tell its end`,
  );
}

async function revertReason(node: TronNode, { hash, order, from }: SentAttempt): Promise<string> {
  const asked = { side: 'walletsolidity', api: 'gettransactioninfobyid', body: { value: hash }, shape: info } as const;
  const found = await node.client.ask(asked);
  if (found?.receipt.result === 'OUT_OF_ENERGY') return 'the transfer took more energy than its fee limit allowed';
  return (
    (await obstacleOf(node, { ...order, from }))?.message ?? `the contract of ${order.currency} refused the transfer`
  );
}
