// A sale of a store: a customer with a wallet of its own pays, and the session completes.

import { Stranger } from './external-wallet';
import type { Merchant } from './merchant';
import { expect } from './story';

/** A customer pays the store 12.34 USDT on BSC. */
export async function sell(merchant: Merchant, cents = 1234): Promise<void> {
  const customer = new Stranger();
  const session = await merchant.create({ amount: cents });
  const read = async () =>
    (await fetch(`${session.url}/status`)).json() as Promise<{ status: string; methods: Method[] }>;
  const { methods } = await read();
  const method = methods.find(({ network, currency }) => network === 'bsc' && currency === 'USDT');
  await customer.pay(method!.address, cents);
  await expect.poll(async () => (await read()).status).toBe('COMPLETED');
  customer.close();
}
type Method = { readonly network: string; readonly currency: string; readonly address: string };
