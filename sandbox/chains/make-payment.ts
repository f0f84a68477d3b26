// Every scenario of a test payment, in terms of the few transactions that a chain's payer can make. It is the same for all chains
// whose payments are transactions sent by the payer; each chain defines the form of its transactions.

import type { NetworkSpec } from '@/lib/networks/networks';
import { halves, otherCurrency, STRANGERS_CENTS, VISIBLE_MS, type Payment, type Share } from './payment';

export type Transfer = Share & { readonly currency: string };
export type Sent = { readonly hash: string; readonly succeeded: boolean };

/** The payer of one chain. `Call` is a transaction that is not sent yet. */
export interface ScenarioPayer<Call> {
  readonly spec: NetworkSpec;
  /** A transfer of the payer, which gets more of the token first when its balance would run low. */
  transfer(transfer: Transfer): Promise<Call>;
  /** The same in a counterfeit token with the same symbol. */
  counterfeit(transfer: Transfer): Promise<Call>;
  /** A transfer that is included in a block and always fails. */
  impossible(transfer: Transfer): Promise<Call>;
  /** One transaction that pays several recipients. */
  batch(currency: string, shares: readonly Share[]): Promise<Call>;
  newAddress(): string;
  /** Sends the transactions one after the other with nothing between them; resolves when all are in blocks. */
  send(calls: readonly Call[]): Promise<Sent[]>;
  /** Sends a transaction that is visible for a while and then removed permanently. Resolves when it is in a block. */
  sendAndTakeBack(call: Call, visibleMs: number): Promise<Sent>;
}

/** Makes the payment; the hash is that of its last transaction. Throws PaymentRefused when the payment is not possible. */
export async function makePayment<Call>(payer: ScenarioPayer<Call>, payment: Payment): Promise<string> {
  const { scenario, currency, recipient, cents } = payment;
  const genuine: Transfer = { currency, recipient, cents };
  switch (scenario) {
    case 'exact':
    case 'partial':
    case 'over':
      return sendAll(payer, [await payer.transfer(genuine)]);
    case 'wrong_token':
      return sendAll(payer, [await payer.transfer({ ...genuine, currency: otherCurrency(payer.spec, currency) })]);
    case 'fake_token':
      return sendAll(payer, [await payer.counterfeit(genuine)]);
    case 'failed':
      return sendFailing(payer, await payer.impossible(genuine));
    case 'reorged':
      return succeeded(await payer.sendAndTakeBack(await payer.transfer(genuine), VISIBLE_MS));
    case 'split': {
      const calls: Call[] = [];
      for (const part of halves(cents)) calls.push(await payer.transfer({ ...genuine, cents: part }));
      return sendAll(payer, calls);
    }
    case 'batch': {
      const other = payment.other ?? { recipient: payer.newAddress(), cents: STRANGERS_CENTS };
      return sendAll(payer, [await payer.batch(currency, [genuine, other])]);
    }
  }
  return scenario satisfies never;
}

async function sendAll<Call>(payer: ScenarioPayer<Call>, calls: readonly Call[]): Promise<string> {
  const hashes = (await payer.send(calls)).map(succeeded);
  const last = hashes.at(-1);
  if (!last) throw new Error('nothing was sent');
  return last;
}

async function sendFailing<Call>(payer: ScenarioPayer<Call>, call: Call): Promise<string> {
  const [sent] = await payer.send([call]);
  if (!sent || sent.succeeded) throw new Error('a transfer of more than the balance did not fail');
  return sent.hash;
}

function succeeded({ hash, succeeded: well }: Sent): string {
  if (!well) throw new Error(`transaction ${hash} failed`);
  return hash;
}
