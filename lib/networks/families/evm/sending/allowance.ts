// The allowance of the contract of batches: what it is, and the terms of a transaction that changes it. The signer builds that transaction.

import { z } from 'zod';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { lookupTransaction } from '@/lib/networks/families/evm/reading/lookup';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import type { EvmSpec } from '@/lib/networks/networks';
import { noFeeCoin } from '@/lib/networks/sending/obstacles';
import type { SendEndpoints } from '@/lib/networks/sending/endpoints';
import type { AllowanceSender } from '@/lib/networks/sending/batch';
import { checkCost, offeredPrices, replacingPrices } from './fees';
import { walletFunds } from './obstacles';
import { approveCall } from './write-draft';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
/** More than the estimate, because the state may change until the transaction is mined. */
const [GAS_MORE, GAS_OF] = [150n, 100n];

export const openAllowance = (spec: EvmSpec, endpoints: SendEndpoints<EvmNode>): AllowanceSender => ({
  read: (from, contract) =>
    endpoints.draft(async (node) => (await walletFunds(node, { from, contract }, PAYOUT_BATCH)).allowed),
  terms: (from, { contract, amount }, before) =>
    endpoints.draft(async (node) => {
      const now = await offeredPrices(node, spec);
      const prices = before ? replacingPrices(spec, before, now) : now;
      const call = { from, to: contract, data: await approveCall(PAYOUT_BATCH, amount) };
      const gas = await node.rpc.call({ method: 'eth_estimateGas', params: [call], shape: wei });
      const gasLimit = (gas * GAS_MORE) / GAS_OF;
      checkCost(spec, prices, { gasLimit });
      const coin = await node.rpc.call({ method: 'eth_getBalance', params: [from, 'latest'], shape: wei });
      if (coin < gasLimit * prices.maxFeePerGas) throw noFeeCoin(spec.network);
      return { ...prices, gasLimit };
    }),
  inBlock: (hash) =>
    endpoints.draft(async (node) => {
      const report = await lookupTransaction(node, spec, hash);
      if (!report?.block) return null;
      return report.fee === undefined ? {} : { fee: report.fee };
    }),
});
