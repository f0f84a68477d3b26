// Payments from the sandbox's payer: every scenario of the `pay` test helper as a real transaction on a local EVM chain. How much
// is paid is the caller's decision; the scenario says in which way. Called by the control door and by the demo shop.

import { Interface, Wallet } from 'ethers';
import { centsToBaseUnits } from '@/lib/money';
import type { Call, Receipt } from './local-chain';
import { GRANT_CENTS, type LocalNetwork } from './local-network';
import { balanceOf, mintToken } from './tokens';

export const SCENARIOS = [
  'exact',
  'partial',
  'over',
  'wrong_token',
  'fake_token',
  'failed',
  'reorged',
  'split',
  'batch',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export type Share = { readonly recipient: string; readonly cents: bigint };
export type Payment = Share & {
  readonly currency: string;
  readonly scenario: Scenario;
  /** The other recipient of a `batch`; without one a stranger gets a dollar. */
  readonly other?: Share | undefined;
};

/** A payment that cannot be made as asked; the message is for the caller. */
export class PaymentRefused extends Error {}

/** Enough for a transfer or two; what is not used costs nothing. */
const TRANSFER_GAS = 150_000n;
const BATCH_GAS = 300_000n;
/** The payer never holds less than a million of each token (sandbox.md, The local chains). */
const RESERVE_CENTS = 100_000_000n;
/** More than any balance, so that the transfer reverts whatever others do meanwhile. */
const IMPOSSIBLE_AMOUNT = 2n ** 255n;
/** How long a payment that will be taken back can be seen; the tip is read about once a second. */
const VISIBLE_MS = 3000;
const STRANGERS_CENTS = 100n;

const token = new Interface(['function transfer(address to, uint256 value)']);
const batch = new Interface(['function pay(address token, address[] recipients, uint256[] amounts)']);

/**
 * Makes the payment and resolves to its transaction's hash once it is mined (of a `split`, the last one's; a `reorged` one is
 * taken back three seconds later). Throws PaymentRefused when the network has no such token or the amount cannot be split.
 */
export async function pay(local: LocalNetwork, payment: Payment): Promise<string> {
  const { scenario, currency, recipient, cents } = payment;
  const genuine = { currency, recipient, cents };
  switch (scenario) {
    case 'exact':
    case 'partial':
    case 'over':
      return lastHash(await sendAll(local, [await transferOf(local, genuine)]));
    case 'wrong_token':
      return lastHash(
        await sendAll(local, [await transferOf(local, { ...genuine, currency: otherOf(local, currency) })]),
      );
    case 'fake_token':
      return lastHash(await sendAll(local, [await counterfeitOf(local, genuine)]));
    case 'failed':
      return failingTransfer(local, genuine);
    case 'reorged':
      return hashOf(await local.chain.sendAndTakeBack(await transferOf(local, genuine), VISIBLE_MS));
    case 'split':
      return splitTransfer(local, genuine);
    case 'batch':
      return lastHash(await sendAll(local, [await batchOf(local, genuine, payment.other ?? stranger())]));
  }
  return scenario satisfies never;
}

type Transfer = Share & { readonly currency: string };

async function transferOf(local: LocalNetwork, { currency, recipient, cents }: Transfer): Promise<Call> {
  const { contract, decimals } = tokenOf(local, currency);
  await keepStocked(local, currency, cents);
  return callTo(local, contract, recipient, centsToBaseUnits(cents, decimals));
}

async function counterfeitOf(local: LocalNetwork, { currency, recipient, cents }: Transfer): Promise<Call> {
  const { decimals } = tokenOf(local, currency);
  const contract = local.contracts.counterfeits[currency];
  if (!contract) throw new PaymentRefused(`there is no counterfeit of ${currency} on ${local.network}`);
  const amount = centsToBaseUnits(cents, decimals);
  await mintToken(local.chain, local.issuer, { contract, holder: local.payer.address, amount });
  return callTo(local, contract, recipient, amount);
}

async function failingTransfer(local: LocalNetwork, { currency, recipient }: Transfer): Promise<string> {
  const { contract } = tokenOf(local, currency);
  const [receipt] = await local.chain.send([callTo(local, contract, recipient, IMPOSSIBLE_AMOUNT)]);
  if (!receipt || receipt.succeeded) throw new Error('a transfer of more than the balance did not fail');
  return receipt.transactionHash;
}

async function splitTransfer(local: LocalNetwork, transfer: Transfer): Promise<string> {
  const first = transfer.cents / 2n;
  if (first === 0n) throw new PaymentRefused('one cent cannot be split');
  const parts = [first, transfer.cents - first];
  const calls: Call[] = [];
  for (const cents of parts) calls.push(await transferOf(local, { ...transfer, cents }));
  return lastHash(await sendAll(local, calls));
}

async function batchOf(local: LocalNetwork, transfer: Transfer, other: Share): Promise<Call> {
  const { contract, decimals } = tokenOf(local, transfer.currency);
  await keepStocked(local, transfer.currency, transfer.cents + other.cents);
  const shares = [transfer, other];
  const data = batch.encodeFunctionData('pay', [
    contract,
    shares.map(({ recipient }) => recipient),
    shares.map(({ cents }) => centsToBaseUnits(cents, decimals)),
  ]);
  return { from: local.payer, to: local.contracts.batchPayer, data, gasLimit: BATCH_GAS };
}

/** The payer is given more whenever a payment would bring it below its reserve, so that no price is too high for it. */
async function keepStocked(local: LocalNetwork, currency: string, cents: bigint): Promise<void> {
  const { contract, decimals } = tokenOf(local, currency);
  const held = await balanceOf(local.chain, contract, local.payer.address);
  if (held >= centsToBaseUnits(cents + RESERVE_CENTS, decimals)) return;
  const amount = centsToBaseUnits(cents + GRANT_CENTS, decimals);
  await mintToken(local.chain, local.issuer, { contract, holder: local.payer.address, amount });
}

function tokenOf(local: LocalNetwork, currency: string) {
  const found = local.spec.tokens[currency];
  if (!found) throw new PaymentRefused(`${local.network} has no ${currency}`);
  return found;
}

function otherOf(local: LocalNetwork, currency: string): string {
  const other = Object.keys(local.spec.tokens).find((name) => name !== currency);
  if (!other) throw new PaymentRefused(`${local.network} has no other token than ${currency}`);
  return other;
}

const callTo = (local: LocalNetwork, contract: string, recipient: string, amount: bigint): Call => ({
  from: local.payer,
  to: contract,
  data: token.encodeFunctionData('transfer', [recipient, amount]),
  gasLimit: TRANSFER_GAS,
});

const stranger = (): Share => ({ recipient: Wallet.createRandom().address, cents: STRANGERS_CENTS });

async function sendAll(local: LocalNetwork, calls: readonly Call[]): Promise<Receipt[]> {
  const receipts = await local.chain.send(calls);
  for (const receipt of receipts) hashOf(receipt);
  return receipts;
}

function hashOf(receipt: Receipt): string {
  if (!receipt.succeeded) throw new Error(`transaction ${receipt.transactionHash} failed`);
  return receipt.transactionHash;
}

function lastHash(receipts: readonly Receipt[]): string {
  const last = receipts.at(-1);
  if (!last) throw new Error('nothing was sent');
  return last.transactionHash;
}
