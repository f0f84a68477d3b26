// What sweeps of forwarders cost on a local TRON chain in energy. The treasury holds USDT before, as any treasury does
// after its first sweep. The energy is with the penalty of USDT on the main network (docs/network-facts.md).

import { Wallet } from 'ethers';
import { FLUSH_SELECTOR, flushParameters, forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import { fromEvm, toBase58 } from '@/sandbox/chains/tron/address';
import { startTronNode, type TronNode } from '@/sandbox/chains/tron/start';
import { callContract, deployForwarders, grantCoin } from '@/sandbox/chains/tron/sweeping';

const ENERGY_EACH = 1_000_000n;

export type Forwarding = {
  readonly node: TronNode;
  readonly sponsor: { readonly address: string; readonly key: string };
  readonly treasury: string;
  readonly factory: string;
};

const newAccount = () => {
  const wallet = Wallet.createRandom();
  return { address: fromEvm(wallet.address), key: wallet.privateKey };
};

/** Starts a chain with the contract. */
export async function openForwarding(): Promise<Forwarding> {
  const node = await startTronNode({ blockMs: null });
  const [sponsor, spare, treasury] = [newAccount(), newAccount(), toBase58(newAccount().address)];
  await grantCoin(node, sponsor.address);
  const wallets = { treasury, sponsor: toBase58(sponsor.address), spareSponsor: toBase58(spare.address) };
  const factory = await deployForwarders(node, sponsor, wallets);
  await pay(node, treasury);
  return { node, sponsor, treasury, factory };
}

const pay = (node: TronNode, recipient: string) =>
  node.pay({ currency: 'USDT', recipient, cents: 100n, scenario: 'exact' });

const newSalts = (count: number): string[] =>
  Array.from({ length: count }, () => Wallet.createRandom().address.toLowerCase());

/** Pays each deposit address and flushes all of them by one call. Returns its energy. */
async function flush({ node, sponsor, treasury, factory }: Forwarding, salts: readonly string[]): Promise<number> {
  for (const salt of salts) await pay(node, forwarderAddress(factory, salt));
  const before = await node.balance(treasury, 'USDT');
  const data = FLUSH_SELECTOR + flushParameters(node.spec.tokens.USDT!.contract, ENERGY_EACH, salts);
  const { energy } = await callContract(node, sponsor, factory, data);
  const moved = (await node.balance(treasury, 'USDT')) - before;
  if (moved !== BigInt(salts.length) * 1_000_000n) throw new Error('a flush moved less than everything');
  return energy;
}

/** Energy per deposit in a call for this many: of new addresses, and of the same addresses when they got money again. */
export async function energyPerDeposit(
  scene: Forwarding,
  count: number,
): Promise<{ readonly first: number; readonly later: number }> {
  const salts = newSalts(count);
  const first = await flush(scene, salts);
  return { first: first / count, later: (await flush(scene, salts)) / count };
}
