// What sweeps and batches of payouts cost on a local chain in gas and transactions. The treasury holds tokens before, as any treasury does after its first sweep.

import { Interface, Wallet } from 'ethers';
import { batchData, batchGasLimit, MAX_BATCH, PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { newWallets, Sweeping } from '@/sandbox/chains/evm/sweeping';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';

const AMOUNT = 1_000_000n;
const transfers = new Interface([
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
]);
/** Gas that each payee may use. */
const GAS_EACH = 126_000n;

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

/** How many transactions the sponsor sends to sweep this many new addresses. */
export async function transactionsFor(subject: Subject, deposits: number, batch: number): Promise<number> {
  const { sweeping } = subject;
  const sent = async () => Number(await sweeping.rpc('eth_getTransactionCount', sweeping.sponsor.address, 'latest'));
  const all = newWallets(deposits);
  await sweeping.pay(subject.payer, subject.contract, all, AMOUNT);
  const [held, before] = [await sweeping.holds(subject.contract, sweeping.treasury), await sent()];
  for (let at = 0; at < deposits; at += batch) {
    const some = all.slice(at, at + batch);
    const authorizationList = some.map((one) => sweeping.authorize(one));
    await sweeping.sweep({ token: subject.contract, deposits: some, authorizationList });
  }
  const moved = (await sweeping.holds(subject.contract, sweeping.treasury)) - held;
  if (moved !== BigInt(deposits) * AMOUNT) throw new Error('a sweep moved less than everything');
  return (await sent()) - before;
}

/** Pays this many new addresses in the largest batches: the transactions that takes, and gas of each payee. */
export async function payInBatches(
  { sweeping, contract, payer }: Subject,
  payees: number,
): Promise<{ transactions: number; gas: number }> {
  const allowed = transfers.encodeFunctionData('approve', [PAYOUT_BATCH, BigInt(payees) * AMOUNT]);
  await sweeping.send(payer, { to: contract, data: allowed, gasLimit: 200_000n });
  const all = newWallets(payees);
  let [transactions, gas] = [0, 0n];
  for (let at = 0; at < payees; at += MAX_BATCH, transactions++) {
    const items = all.slice(at, at + MAX_BATCH).map(({ address }) => ({ to: address.toLowerCase(), amount: AMOUNT }));
    const data = `0x${batchData({ token: contract, gasEach: GAS_EACH, items })}`;
    const gasLimit = batchGasLimit(items.length, GAS_EACH);
    const paid = await sweeping.send(payer, { to: PAYOUT_BATCH, data, gasLimit });
    if (!paid.succeeded) throw new Error('a batch failed');
    gas += paid.gas;
  }
  for (const one of all)
    if ((await sweeping.holds(contract, one)) !== AMOUNT) throw new Error('a payee was not paid exactly once');
  return { transactions, gas: Number(gas) / payees };
}
