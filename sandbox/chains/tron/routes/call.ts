// Read-only calls: a contract's result, and the energy that the same call would use in a transaction.

import { failureMessage } from '../execute';
import type { Ran } from '../evm';
import { unsignedJson } from '../transaction';
import { addressIn, inState, messageOf, numberIn, type NodeRequest, type Routes } from './request';
import { buildCall, callData } from './draft';

/** The energy limit of a call without a transaction. */
const MAX_ENERGY = 100_000_000n;

export const CALL_ROUTES: Routes = {
  triggerconstantcontract: async (request) => {
    const ran = await tryCall(request);
    if (!ran) return missingContract(request);
    const failed = ran.outcome !== 'SUCCESS';
    const message = failed ? { message: messageOf(request, failureMessage(ran.outcome, ran.energy, MAX_ENERGY)) } : {};
    const transaction = unsignedJson(buildCall(request), request.visible);
    return {
      result: { result: true, ...message },
      energy_used: ran.energy,
      ...(ran.penalty > 0 ? { energy_penalty: ran.penalty } : {}),
      constant_result: [ran.returned.toString('hex')],
      ...(ran.logs.length > 0 ? { logs: ran.logs } : {}),
      transaction: { ret: [failed ? { ret: 'FAILED' } : {}], ...transaction },
    };
  },
  estimateenergy: async (request) => {
    const ran = await tryCall(request);
    if (!ran) return missingContract(request);
    if (ran.outcome === 'SUCCESS') return { result: { result: true }, energy_required: ran.energy };
    const why = failureMessage(ran.outcome, ran.energy, MAX_ENERGY);
    return { result: { code: 'CONTRACT_EXE_ERROR', message: messageOf(request, `Contract execute error : ${why}`) } };
  },
};

async function tryCall(request: NodeRequest): Promise<Ran | null> {
  const { chain } = request;
  const [from, to] = [addressIn(request, 'owner_address'), addressIn(request, 'contract_address')];
  const run = {
    from,
    to,
    data: Buffer.from(callData(request), 'hex'),
    value: BigInt(numberIn(request, 'call_value')),
    energyLimit: MAX_ENERGY,
  };
  return inState(request, () => (chain.state.account(to).contract ? chain.dryRun(run) : null));
}

const missingContract = (request: NodeRequest) => ({
  result: { code: 'CONTRACT_VALIDATE_ERROR', message: messageOf(request, 'Smart contract is not exist.') },
});
