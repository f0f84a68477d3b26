// Squads multisigs on Solana: reads them, and drafts a transfer out of a vault that the chain would accept now.

import { ChainError } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { NOTHING_UNMINED, SendHold, SendRefused } from '@/lib/networks/sending/send';
import type { SendEndpoints } from '@/lib/networks/sending/endpoints';
import { unknownToken } from '@/lib/networks/sending/obstacles';
import type { SquadsDrafting, SquadsSender, SquadsState, SquadsTransfer } from '@/lib/networks/sending/squads';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { readNonce } from '@/lib/networks/families/solana/sending/nonce-account';
import { findRoute } from '@/lib/networks/families/solana/sending/obstacles';
import { offeredPrice } from '@/lib/networks/families/solana/sending/offered-price';
import { lamports, sendAccounts } from '@/lib/networks/families/solana/sending/shapes';
import { simulatedUnits } from '@/lib/networks/families/solana/sending/simulation';
import { proposalFee } from './read-proposal';
import { readMultisig } from './state';
import { writeProposal } from './write-proposal';

/** Compute units that the simulation may use: the program derives five addresses and calls the token program once. */
const TRIED_UNITS = 600_000;
const LEAST_UNITS = 200_000;
/** Bytes of the two accounts that the proposal opens: the transfer, and the votes with room for each member three times. */
const TRANSACTION_SIZE = 285;
const proposalSize = (members: number): number => 70 + 3 * 32 * members;

type Opened = { readonly spec: NetworkSpec; readonly endpoints: SendEndpoints<SolanaNode> };

export function openSquads({ spec, endpoints }: Opened): SquadsSender {
  const state: SquadsSender['state'] = async (multisig) =>
    agreed(await endpoints.all((node) => readMultisig(node, multisig)), endpoints.needed);
  return {
    state,
    async draft(drafting) {
      const { contract, currency } = drafting.order;
      const found = tokenOf(spec, contract);
      if (found?.currency !== currency) throw unknownToken(spec.network, currency);
      const { decimals } = found.token;
      return endpoints.draft((node) => draftOn(node, drafting, decimals));
    },
  };
}

/** A lagging endpoint has another index. The next attempt may find them in agreement. */
function agreed(votes: readonly (SquadsState | null)[], needed: number): SquadsState | null {
  const texts = votes.map((vote) => JSON.stringify(vote));
  const at = texts.findIndex((text) => texts.filter((other) => other === text).length >= needed);
  const found = votes[at];
  if (found !== undefined) return found;
  throw new ChainError('unavailable', 'too few endpoints report the same about the multisig');
}

async function draftOn(node: SolanaNode, drafting: SquadsDrafting, decimals: number): Promise<string> {
  const { order, vault, multisig, vaultIndex, index, members, nonceAccount } = drafting;
  const { to, contract: mint, amount, currency } = order;
  const [payer = ''] = members;
  const nonceValue = await readNonce(node, { account: nonceAccount, authority: payer }, 'finalized');
  if (nonceValue === null)
    throw new SendRefused('reverts', `${nonceAccount} is not a durable nonce account whose authority is ${payer}`);
  const route = await findRoute(node, order, { from: vault, unmined: NOTHING_UNMINED });
  if (route.direct || route.creates)
    throw new SendRefused('bad_recipient', `the recipient has no account of ${currency} yet; any payment opens it`);
  const transfer: SquadsTransfer = {
    ...{ multisig, vaultIndex, index, members, to, mint, decimals, amount, nonceAccount, nonceValue },
    unitLimit: TRIED_UNITS,
    unitPrice: await offeredPrice(node, [payer, multisig, associatedAccount(to, mint)]),
  };
  const noCoin = (): SendHold =>
    new SendHold('no_fee_coin', `the member ${payer} has too little SOL for the fee and the rent of a proposal`);
  if ((await coinsOf(node, payer)) < (await costOf(node, transfer))) throw noCoin();
  const units = await simulatedUnits(node, { unsigned: await writeProposal(transfer) }, { currency, noCoin });
  const unitLimit = Math.min(TRIED_UNITS, Math.max(LEAST_UNITS, units));
  return writeProposal({ ...transfer, unitLimit });
}

async function coinsOf(node: SolanaNode, address: string): Promise<bigint> {
  const params = [[address], { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  return BigInt(value[0]?.lamports ?? 0);
}

/** Lamports: the fee, the rent of both accounts, and what must stay in the wallet. The simulation knows the number of all members. */
async function costOf(node: SolanaNode, transfer: SquadsTransfer): Promise<bigint> {
  let sum = proposalFee(transfer);
  for (const size of [TRANSACTION_SIZE, proposalSize(transfer.members.length), 0]) {
    const call = { method: 'getMinimumBalanceForRentExemption', params: [size], shape: lamports };
    sum += BigInt(await node.rpc.call(call));
  }
  return sum;
}
