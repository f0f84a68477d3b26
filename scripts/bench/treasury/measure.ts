// What sweeps cost on a local chain in gas, by the size of the batch. The treasury holds tokens before, as any treasury does after its first
// sweep.

import { Interface, Wallet } from 'ethers';
import { newWallets, Sweeping } from '@/sandbox/chains/evm/sweeping';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';

const AMOUNT = 1_000_000n;
const transfers = new Interface(['function transfer(address to, uint256 value)']);

/** A token of the chain, and an account that holds it and coin for fees. */
export type Subject = { readonly sweeping: Sweeping; readonly contract: string; readonly payer: Wallet };
export type Gas = { readonly first: number; readonly later: number };

/** Starts a chain with the tokens of Ethereum. `subjects` has each token by its currency. */
export async function openSweeps(): Promise<{ subjects: Record<string, Subject>; stop: () => Promise<void> }> {
  const chain = await startTestEvm();
  const sweeping = await Sweeping.open(chain);
  const payer = new Wallet(chain.payer.privateKey);
  const subjects: Record<string, Subject> = {};
  for (const [currency, { contract }] of Object.entries(chain.spec.tokens)) {
    subjects[currency] = { sweeping, contract: contract.toLowerCase(), payer };
    await sweeping.pay(payer, contract, [sweeping.treasury], 1n);
  }
  return { subjects, stop: () => chain.stop() };
}

/** Gas per deposit in a batch of this many: of new addresses, and of the same addresses when they got money again. */
export async function gasPerDeposit({ sweeping, contract, payer }: Subject, count: number): Promise<Gas> {
  const deposits = newWallets(count);
  const sweep = async (isFirst: boolean): Promise<number> => {
    await sweeping.pay(payer, contract, deposits, AMOUNT);
    const authorizationList = deposits.map((one) => sweeping.authorize(one));
    const { succeeded, skipped, gas } = await sweeping.sweep({
      ...{ token: contract, deposits },
      ...(isFirst ? { authorizationList } : {}),
    });
    if (!succeeded || skipped.length > 0) throw new Error('a sweep moved less than everything');
    return Number(gas) / count;
  };
  return { first: await sweep(true), later: await sweep(false) };
}

/** Gas of the other way to move the tokens of a new address: coin for the fee, and then a transfer that the address signs. */
export async function gasOfTopUpAndTransfer({ sweeping, contract, payer }: Subject): Promise<number> {
  const [deposit] = newWallets(1);
  await sweeping.pay(payer, contract, [deposit!], AMOUNT);
  const topUp = await sweeping.send(sweeping.sponsor, { to: deposit!.address, value: 10n ** 17n });
  const data = transfers.encodeFunctionData('transfer', [sweeping.treasury.address, AMOUNT]);
  const moved = await sweeping.send(deposit!, { to: contract, data, gasLimit: 200_000n });
  if (!topUp.succeeded || !moved.succeeded) throw new Error('a transfer failed');
  return Number(topUp.gas + moved.gas);
}
