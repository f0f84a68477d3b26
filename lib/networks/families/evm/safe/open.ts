// Safes on the EVM networks: reads them, drafts a transfer that the chain would accept now, and reports what became of it.

import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { keptForDataFee, tokenOf, type EvmSpec } from '@/lib/networks/networks';
import type { SendEndpoints } from '@/lib/networks/sending/endpoints';
import { unknownToken } from '@/lib/networks/sending/obstacles';
import type { SafeDraft, SafeDrafting, SafeExecution, SafeSender, SafeState } from '@/lib/networks/sending/safe';
import { NOTHING_UNMINED, SendHold } from '@/lib/networks/sending/send';
import { agreeOnOutcome } from '@/lib/networks/sending/verdict';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { checkCost, checkDataFee, lastingPrices, offeredPrices } from '@/lib/networks/families/evm/sending/fees';
import { checkToken } from '@/lib/networks/families/evm/sending/obstacles';
import { estimateGas, paymentOf } from '@/lib/networks/families/evm/sending/payment';
import { readSafe, readSafeTxHash, writeSafeTransfer } from './contract';
import { safeOutcome } from './outcome';

/** What the Safe uses beside the transfer: its checks and its event, and for each signature a recovery and a look at the list of owners. */
const [GAS_OF_SAFE, GAS_OF_SIGNATURE] = [100_000n, 15_000n];
/** The transaction that executes a transfer, without the signatures. */
const [EXECUTION_BYTES, SIGNATURE_BYTES] = [750, 65];

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

type Opened = {
  readonly spec: EvmSpec;
  readonly endpoints: SendEndpoints<EvmNode>;
  readonly nextNonce: (from: string) => Promise<number>;
};

export function openSafes({ spec, endpoints, nextNonce }: Opened): SafeSender {
  return {
    async state(address) {
      return agreeOnState(await endpoints.all((node) => readSafe(node, address)), endpoints.needed);
    },
    async draft(drafting) {
      const { order, executor } = drafting;
      if (tokenOf(spec, order.contract)?.currency !== order.currency) throw unknownToken(spec.network, order.currency);
      const nonce = executor === null ? 0 : await nextNonce(executor);
      return endpoints.draft((node) => draftOn(node, spec, drafting, nonce));
    },
    async outcome(attempt) {
      return agreeOnOutcome(await endpoints.all((node) => safeOutcome(node, spec, attempt)), endpoints.needed);
    },
  };
}

/** A lagging endpoint has another nonce. The next attempt may find them in agreement. */
function agreeOnState(votes: readonly SafeState[], needed: number): SafeState {
  const texts = votes.map((vote) => JSON.stringify(vote));
  const at = texts.findIndex((text) => texts.filter((other) => other === text).length >= needed);
  const found = votes[at];
  if (found && new Set(votes.map(({ kind }) => kind)).size === 1) return found;
  throw new ChainError('unavailable', 'too few endpoints report the same about the cold wallet');
}

async function draftOn(
  node: EvmNode,
  spec: EvmSpec,
  { order, safe, nonce, threshold, executor }: SafeDrafting,
  accountNonce: number,
): Promise<SafeDraft> {
  const payment = paymentOf(order, safe);
  const { contract, to, amount } = payment;
  await checkToken(node, payment, NOTHING_UNMINED);
  const transferGas = await estimateGas(node, spec, payment);
  const transfer = { contract, to, amount, nonce };
  const hash = await readSafeTxHash(node, safe, transfer);
  if (hash === null) throw new ChainError('unavailable', `${node.name} does not compute the safeTxHash`);
  const given = { executor, accountNonce, gasLimit: transferGas + GAS_OF_SAFE + GAS_OF_SIGNATURE * BigInt(threshold) };
  return {
    unsigned: await writeSafeTransfer(transfer),
    hash,
    execution: executor === null ? null : await executionBy(node, spec, { ...given, executor, threshold }),
  };
}

async function executionBy(
  node: EvmNode,
  spec: EvmSpec,
  given: {
    readonly executor: string;
    readonly accountNonce: number;
    readonly gasLimit: bigint;
    readonly threshold: number;
  },
): Promise<SafeExecution> {
  const { executor, accountNonce, gasLimit, threshold } = given;
  const prices = lastingPrices(spec, await offeredPrices(node, spec), gasLimit);
  checkCost(spec, prices, gasLimit);
  await checkDataFee(node, spec, EXECUTION_BYTES + SIGNATURE_BYTES * threshold);
  const coin = await node.rpc.call({ method: 'eth_getBalance', params: [executor, 'latest'], shape: wei });
  if (coin < gasLimit * prices.maxFeePerGas + keptForDataFee(spec))
    throw new SendHold('no_fee_coin', `the executor ${executor} has too little coin for fees on ${spec.network}`);
  return { executor, nonce: accountNonce, gasLimit, ...prices };
}
