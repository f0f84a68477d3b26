// What an account has delegated to whom, and how much it can delegate now.

import { toBase58 } from '../address';
import { delegatable } from '../stakes';
import { delegationKey, type TronState } from '../state';
import { addressIn, inState, numberIn, type NodeRequest, type Routes } from './request';

export const STAKE_ROUTES: Routes = {
  getcandelegatedmaxsize: (request) =>
    inState(request, () => {
      const resource = numberIn(request, 'type') === 1 ? 'ENERGY' : 'BANDWIDTH';
      const most = Number(delegatable(request.chain.state, addressIn(request, 'owner_address'), resource));
      return most === 0 ? {} : { max_size: most };
    }),
  getdelegatedresourcev2: (request) =>
    inState(request, () => {
      const { state } = request.chain;
      const [from, to] = [addressIn(request, 'fromAddress'), addressIn(request, 'toAddress')];
      const bandwidth = Number(state.delegations.get(delegationKey(from, to, 'BANDWIDTH')) ?? 0n);
      const energy = Number(state.delegations.get(delegationKey(from, to, 'ENERGY')) ?? 0n);
      if (bandwidth + energy === 0) return {};
      const lent = {
        from: written(request, from),
        to: written(request, to),
        ...(bandwidth > 0 ? { frozen_balance_for_bandwidth: bandwidth } : {}),
        ...(energy > 0 ? { frozen_balance_for_energy: energy } : {}),
      };
      return { delegatedResource: [lent] };
    }),
  getdelegatedresourceaccountindexv2: (request) =>
    inState(request, () => {
      const address = addressIn(request, 'value');
      const pairs = delegationsOf(request.chain.state);
      const to = [...new Set(pairs.flatMap(([owner, receiver]) => (owner === address ? [receiver] : [])))];
      const from = [...new Set(pairs.flatMap(([owner, receiver]) => (receiver === address ? [owner] : [])))];
      return {
        account: written(request, address),
        ...(from.length > 0 ? { fromAccounts: from.map((one) => written(request, one)) } : {}),
        ...(to.length > 0 ? { toAccounts: to.map((one) => written(request, one)) } : {}),
      };
    }),
};

/** Owner and receiver of every delegation. */
const delegationsOf = (state: TronState): readonly (readonly [string, string])[] =>
  [...state.delegations.keys()].map((key) => key.split('/').slice(0, 2) as [string, string]);

const written = ({ visible }: NodeRequest, address: string): string => (visible ? toBase58(address) : address);
