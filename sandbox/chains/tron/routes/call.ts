// Read-only calls: a contract's result, and the energy that the same call would use in a transaction.

import { penaltyOf, whyFailed } from '../execute';
import type { Ran } from '../evm';
import { unsignedJson } from '../transaction';
import { addressIn, inState, messageOf, numberIn, type Ask, type Routes } from './request';
import { buildCall, callData } from './draft';

/** The energy limit of a call without a transaction. */
const MOST_ENERGY = 100_000_000n;

export const CALL_ROUTES: Routes = {
  triggerconstantcontract: async (ask) => {
    const tried = await tryCall(ask);
    if (!tried) return missingContract(ask);
    const { ran, penalty } = tried;
    const failed = ran.outcome !== 'SUCCESS';
    const message = failed ? { message: messageOf(ask, whyFailed(ran.outcome, ran.energy, MOST_ENERGY)) } : {};
    const transaction = unsignedJson(buildCall(ask), ask.visible);
    return {
      result: { result: true, ...message },
      energy_used: ran.energy + penalty,
      ...(penalty > 0 ? { energy_penalty: penalty } : {}),
      constant_result: [ran.returned.toString('hex')],
      ...(ran.logs.length > 0 ? { logs: ran.logs } : {}),
      transaction: { ret: [failed ? { ret: 'FAILED' } : {}], ...transaction },
    };
  },
  estimateenergy: async (ask) => {
    const tried = await tryCall(ask);
    if (!tried) return missingContract(ask);
    const { ran, penalty } = tried;
    if (ran.outcome === 'SUCCESS') return { result: { result: true }, energy_required: ran.energy + penalty };
    const why = whyFailed(ran.outcome, ran.energy, MOST_ENERGY);
    return { result: { code: 'CONTRACT_EXE_ERROR', message: messageOf(ask, `Contract execute error : ${why}`) } };
  },
};

async function tryCall(ask: Ask): Promise<{ ran: Ran; penalty: number } | null> {
  const { chain } = ask;
  const [from, to] = [addressIn(ask, 'owner_address'), addressIn(ask, 'contract_address')];
  const run = {
    from,
    to,
    data: Buffer.from(callData(ask), 'hex'),
    value: BigInt(numberIn(ask, 'call_value')),
    energyLimit: MOST_ENERGY,
  };
  const ran = await inState(ask, () => (chain.state.account(to).contract ? chain.dryRun(run) : null));
  return ran && { ran, penalty: penaltyOf(ran.energy, BigInt(chain.engine.penalties.get(to) ?? 0)) };
}

const missingContract = (ask: Ask) => ({
  result: { code: 'CONTRACT_VALIDATE_ERROR', message: messageOf(ask, 'Smart contract is not exist.') },
});
