// The contract of forwarders on the local TRON chain, as an account that pays for its own transactions deploys and calls it. For tests and
// measurements.

import { forwardersCreation, type ForwarderWallets } from '@/lib/networks/families/tron/sweeping/forwarders';
import { createdAddress, readAddress, toBase58 } from './address';
import type { TronNode } from './start';
import type { ContractType } from './messages';
import type { Message } from './protobuf';
import type { Signer } from './pay';
import { buildTransaction, signTransaction } from './transaction';

const VALIDITY_MS = 60_000;
/** The network's highest fee limit: 15,000 TRX. */
const FEE_LIMIT = 15_000_000_000;
const GRANT = 10n ** 12n;

/** What became of a transaction, as its receipt has it. `energy` is with the penalty. */
export type TronSent = {
  readonly id: string;
  readonly outcome: string;
  readonly energy: number;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data?: string }[];
};

/** Signs a transaction and makes a block with it. */
export function sendTo(
  { chain }: TronNode,
  from: Signer,
  type: ContractType,
  value: Message,
  feeLimit = FEE_LIMIT,
): Promise<TronSent> {
  return chain.exclusively(async () => {
    const timestamp = Math.max(chain.now(), chain.head().time) + 1;
    const draft = { ...chain.reference(), timestamp, expiration: timestamp + VALIDITY_MS, fee_limit: feeLimit };
    const transaction = signTransaction(
      buildTransaction(type, { owner_address: from.address, ...value }, draft),
      from.key,
    );
    chain.accept(transaction);
    await chain.produce();
    const entry = chain.known(transaction.id)?.included?.entry;
    if (!entry) throw new Error('the transaction came into no block');
    const { receipt, log = [] } = entry.receipt as { receipt: { energy_usage_total?: number }; log?: TronSent['logs'] };
    return { id: transaction.id, outcome: entry.outcome, energy: receipt.energy_usage_total ?? 0, logs: log };
  });
}

/** Calls a contract. `data`: hex without 0x. */
export const callContract = (node: TronNode, from: Signer, contract: string, data: string, feeLimit?: number) =>
  sendTo(node, from, 'TriggerSmartContract', { contract_address: readAddress(contract), data }, feeLimit);

/** Creates a contract with this code (hex without 0x) and returns its address. */
export async function deployCode(
  node: TronNode,
  from: Signer,
  bytecode: string,
): Promise<{ address: string } & TronSent> {
  const described = { origin_address: from.address, bytecode, consume_user_resource_percent: 100, name: 'Forwarders' };
  const sent = await sendTo(node, from, 'CreateSmartContract', { new_contract: described });
  return { address: toBase58(createdAddress(sent.id, from.address)), ...sent };
}

/** Creates the contract for these wallets and returns its address. */
export async function deployForwarders(node: TronNode, from: Signer, wallets: ForwarderWallets): Promise<string> {
  const { address, outcome } = await deployCode(node, from, forwardersCreation(wallets));
  if (outcome !== 'SUCCESS') throw new Error(`creating the contract of forwarders ended in ${outcome}`);
  return address;
}

/** Gives an account coin for fees. */
export const grantCoin = ({ chain }: TronNode, address: string): Promise<void> =>
  chain.exclusively(() => {
    chain.state.activate(address);
    chain.state.addBalance(address, GRANT);
  });
