// A refund on a network scene: its order, an attempt of it, and the block that holds it.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SentAttempt } from '@/lib/networks/sending/send';
import { unixSeconds } from '@/lib/platform/clock';
import { transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import type { FakeTronNode } from '@/testing/tron/fake-tron-node';
import type { NetworkScene } from '@/testing/watching/network-scene';
import { fakeKey, fakeSignature } from '@/testing/solana/solana-ledger';
import { PAYERS } from '@/testing/signer/signer-scene';
import { PAYER as SOLANA_WALLET, side } from '@/testing/solana/solana-scene';
import { TRON_OTHER, TRON_PAYER, TRON_STRANGER } from '@/testing/tron/tron-pair';
import { transferLog as tronTransferLog } from '@/testing/tron/tron-shapes';

/** The wallet that is compared with the ledger. It holds nothing. */
export const RECONCILED: Readonly<Record<NetworkFamily, string>> = {
  evm: `0x${'77'.repeat(20)}`,
  tron: TRON_OTHER,
  solana: fakeKey('compared wallet'),
};

const WALLET: Readonly<Record<NetworkFamily, string>> = {
  evm: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  tron: TRON_PAYER,
  solana: SOLANA_WALLET,
};
const TO: Readonly<Record<NetworkFamily, string>> = {
  evm: `0x${'ab'.repeat(20)}`,
  tron: TRON_STRANGER,
  solana: PAYERS.solana,
};
const HASH: Readonly<Record<NetworkFamily, string>> = {
  evm: `0x${'ef'.repeat(32)}`,
  tron: 'ef'.repeat(32),
  solana: fakeSignature('refund'),
};
/** Longer than any refund of a scene takes. */
const LIFE_SECONDS = 3600;

/** The attempt of a refund of five tokens that is sent now. */
export function refundOrder({ family, tokens }: NetworkSpec, now: Date = new Date(0)): SentAttempt {
  const { contract, decimals } = tokens.USDT!;
  const amount = 5n * 10n ** BigInt(decimals);
  const order = { intentId: 're_1', currency: 'USDT', contract, to: TO[family], amount };
  const validity = {
    evm: { kind: 'nonce', nonce: 7 },
    tron: { kind: 'time', expiresAt: unixSeconds(now) + LIFE_SECONDS },
    solana: { kind: 'height', lastValidBlockHeight: Number.MAX_SAFE_INTEGER },
  } as const;
  return { order, from: WALLET[family], hash: HASH[family], validity: validity[family] };
}

/** Mines a block that holds the attempt. */
export function mineRefund({ node: { fake }, context }: NetworkScene, { order, from, hash }: SentAttempt): void {
  const { contract, to, amount } = order;
  const time = unixSeconds(context.clock.now());
  if (isTron(fake)) fake.mine([{ logs: [tronTransferLog(contract, from, to, amount)], id: hash }], time);
  else if (isSolana(fake)) {
    const moved = payment(fake, { from: side(from, contract), to: side(to, contract), mint: contract, amount });
    fake.mine([{ ...moved, signature: hash }], { time });
  } else (fake satisfies FakeNode).mine([{ logs: [transferLog(contract, from, to, amount)], hash }], time);
}

const isTron = (node: NetworkScene['node']['fake']): node is FakeTronNode => 'solidDepth' in node;
const isSolana = (node: NetworkScene['node']['fake']): node is FakeSolanaNode => 'ledger' in node;
