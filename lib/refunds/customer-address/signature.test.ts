// An address that the paying wallet signed for: paid on a main network without the merchant, and never with a false signature, regardless
// of which process wrote the row.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { readPayment } from '@/lib/dashboard/payment/payment';
import { readStoreRefund } from '@/lib/dashboard/payment/refund';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { ethereum, newEvmAddress, openRefundScene, type RefundScene } from '@/testing/refunds/destined-refund';
import { newSigningWallet, type SigningWallet } from '@/testing/refunds/signing-wallets';
import { readSignature, signingText, type AddressSignature } from './signature';
import { giveSessionAddress } from './addresses';
import { findDestination } from '@/lib/refunds/destination/destination';
import type { DestinedRefund } from '@/lib/refunds/destination/payers';
import { addExchangeWallets } from '@/lib/refunds/destination/exchange-wallets/list';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
});
afterAll(() => db.close());

const UNCONFIRMED = { hold: 'address_unconfirmed', message: expect.stringContaining('Confirm it') };
const MINUTE = 60_000;
const specOf = (network: string) =>
  NETWORKS.find((row) => row.network === network && row.chain === 'local') as NetworkSpec;
/** The same network as a main network with real money, with the test's transfers. */
const mainnet = (spec: NetworkSpec) => ({
  spec: { ...spec, chain: 'mainnet' } as NetworkSpec,
  wallet: newEvmAddress(),
  sender: { kindOf: () => Promise.resolve('wallet' as const) },
});
const find = (refund: DestinedRefund, spec: NetworkSpec = ethereum) =>
  findDestination(scene.context, mainnet(spec), refund);

type Paid = { readonly payer?: string; readonly isPlain?: boolean; readonly amount?: bigint; readonly key?: null };

/** A completed session of one payment on the network, and a refund of it. */
async function paidRefund(spec: NetworkSpec, paid: Paid): Promise<DestinedRefund> {
  const sessionId = await scene.session('completed', spec.network);
  const amount = (1250n * 10n ** BigInt(spec.tokens.USDT!.decimals)) / 100n;
  await scene.paid(sessionId, { network: spec, amount, ...paid });
  return scene.refund(sessionId, { network: spec.network });
}

type Signed = Partial<Parameters<typeof signingText>[2]> & { readonly origin?: string; readonly on?: NetworkSpec };

/** The signature of a wallet for this refund's address on the main network; `signed` overrides parts of the signed text. */
async function signatureOf(wallet: SigningWallet, refund: DestinedRefund, address: string, signed: Signed = {}) {
  const { origin = scene.context.config.PUBLIC_URL, on = mainnet(specOf(refund.network)).spec, ...rest } = signed;
  const named = {
    sessionId: refund.sessionId,
    address,
    signer: wallet.address,
    requestedAt: scene.clock.now(),
    ...rest,
  };
  const signature = readSignature(await wallet.sign(signingText(origin, on, named)))!;
  return { signature, requestedAt: named.requestedAt };
}

/** What a compromised web process can write. */
const write = (refund: DestinedRefund, address: string, signed: AddressSignature, givenAt = scene.clock.now()) =>
  db.prisma.refundAddress.create({
    data: {
      ...{ sessionId: refund.sessionId, network: refund.network, address, givenAt },
      signature: Uint8Array.from(signed.signature),
      signatureRequestedAt: signed.requestedAt,
    },
  });

const FAMILIES = [
  ['evm', 'ethereum'],
  ['evm', 'bsc'],
  ['tron', 'tron'],
  ['solana', 'solana'],
] as const;
const newAddress = (family: NetworkFamily) => newSigningWallet(family).address;

describe.each(FAMILIES)('with a wallet of %s on %s', (family, network) => {
  const spec = specOf(network);

  it('pays an address that the payer’s wallet signed for, without the merchant', async () => {
    const [wallet, address] = [newSigningWallet(family), newAddress(family)];
    const refund = await paidRefund(spec, { payer: wallet.address });
    const { id } = await write(refund, address, await signatureOf(wallet, refund, address));
    expect(await find(refund, spec)).toEqual({
      destination: { address, kind: 'claim', reference: `address/${id}`, isSigned: true },
    });
  });

  it('waits for the merchant when anything in the signed text differs, or another wallet signed', async () => {
    const [wallet, stranger] = [newSigningWallet(family), newSigningWallet(family)];
    const other = await paidRefund(spec, { payer: wallet.address });
    const false_: Signed[] = [
      { sessionId: other.sessionId },
      { address: newAddress(family) },
      { signer: stranger.address },
      { on: { ...mainnet(spec).spec, chain: 'testnet' } },
      { on: { ...mainnet(spec).spec, network: 'elsewhere' } },
      { origin: 'https://evil.example' },
      { requestedAt: new Date(scene.clock.now().getTime() - 1) },
    ];
    for (const signed of false_) {
      const refund = await paidRefund(spec, { payer: wallet.address });
      const address = newAddress(family);
      const { signature } = await signatureOf(wallet, refund, address, signed);
      await write(refund, address, { signature, requestedAt: scene.clock.now() });
      expect(await find(refund, spec)).toEqual(UNCONFIRMED);
    }
    const refund = await paidRefund(spec, { payer: wallet.address });
    const address = newAddress(family);
    await write(refund, address, await signatureOf(stranger, refund, address, { signer: wallet.address }));
    expect(await find(refund, spec)).toEqual(UNCONFIRMED);
  });
});

/** A refund whose payer signed for an address; `paid`: how the payment differs from a usual one. */
async function signedRefund(paid: Omit<Paid, 'payer'> = {}) {
  const [wallet, address] = [newSigningWallet('evm'), newEvmAddress()];
  const refund = await paidRefund(ethereum, { payer: wallet.address, ...paid });
  return { wallet, address, refund, signed: await signatureOf(wallet, refund, address) };
}

describe('a signature', () => {
  it('is valid for 15 minutes, and not before the page requested it', async () => {
    for (const [after, isGood] of [
      [15 * MINUTE, true],
      [15 * MINUTE + 1, false],
      [-1, false],
    ] as const) {
      const { refund, address, signed } = await signedRefund();
      await write(refund, address, signed, new Date(signed.requestedAt.getTime() + after));
      expect('destination' in (await find(refund))).toBe(isGood);
    }
  });

  it('with impossible times waits for the merchant, like every other row that the web process wrote', async () => {
    for (const [requestedAt, givenAt] of [
      ['infinity', 'infinity'],
      ['-infinity', '2027-01-15'],
      ['2027-01-15', 'infinity'],
      ['290000-01-01', '290000-01-01'],
    ]) {
      const { refund, address, signed } = await signedRefund();
      await db.pool.query(
        `INSERT INTO refund_addresses (session_id, network, address, given_at, signature, signature_requested_at)
         VALUES ($1, 'ethereum', $2, $3, $4, $5)`,
        [refund.sessionId, address, givenAt, Buffer.from(signed.signature), requestedAt],
      );
      expect(await find(refund)).toEqual(UNCONFIRMED);
    }
  });

  it('of the real payer does not attest an address to which the row was changed', async () => {
    const { refund, address, signed } = await signedRefund();
    await write(refund, address, signed);
    await db.pool.query('ALTER TABLE refund_addresses DISABLE TRIGGER USER');
    await db.pool.query('UPDATE refund_addresses SET address = $2 WHERE session_id = $1', [
      refund.sessionId,
      newEvmAddress(),
    ]);
    await db.pool.query('ALTER TABLE refund_addresses ENABLE TRIGGER USER');
    expect(await find(refund)).toEqual(UNCONFIRMED);
  });

  it('counts only where the watcher attests the payment, and the payer ordered it and paid the price', async () => {
    for (const paid of [{ key: null }, { isPlain: false }, { amount: 10_000n }] as const) {
      const { refund, address, signed } = await signedRefund(paid);
      await write(refund, address, signed);
      expect(await find(refund)).toEqual(UNCONFIRMED);
    }
  });

  it('counts neither for a listed exchange wallet, nor where several payers paid', async () => {
    const { refund, address, signed, wallet } = await signedRefund();
    await write(refund, address, signed);
    expect(await find(refund)).toHaveProperty('destination.isSigned', true);
    await addExchangeWallets(db.pool, [{ address: wallet.address, network: 'ethereum', label: 'Kraken' }]);
    expect(await find(refund)).toEqual(UNCONFIRMED);
    const several = await signedRefund();
    await scene.paid(several.refund.sessionId, { payer: newEvmAddress() });
    await write(several.refund, several.address, several.signed);
    expect(await find(several.refund)).toMatchObject({ hold: 'destination_needed' });
  });

  it('is stored only for an address of the payment’s page, complete and with its time', async () => {
    const { refund, address, signed } = await signedRefund();
    const row = { sessionId: refund.sessionId, network: 'ethereum', address, givenAt: scene.clock.now() };
    const signature = Uint8Array.from(signed.signature);
    const signatureRequestedAt = signed.requestedAt;
    for (const wrong of [
      { signature },
      { signatureRequestedAt },
      { signature: signature.slice(0, 63), signatureRequestedAt },
      { signature, signatureRequestedAt, intentId: refund.id },
    ])
      await expect(db.prisma.refundAddress.create({ data: { ...row, ...wrong } })).rejects.toThrow(
        'refund_addresses_signature',
      );
  });
});

it('a payment that the watcher does not attest confirms no address', async () => {
  const payer = newEvmAddress();
  const refund = await paidRefund(ethereum, { payer, key: null });
  await db.prisma.refundAddress.create({
    data: { sessionId: refund.sessionId, network: 'ethereum', address: payer, givenAt: scene.clock.now() },
  });
  expect(await find(refund)).toEqual(UNCONFIRMED);
});

describe('when a customer gives an address', () => {
  const kindOf = () => Promise.resolve('wallet' as const);
  const local = { on: ethereum };
  const give = (refund: DestinedRefund, address: string, signed: AddressSignature) =>
    giveSessionAddress({ ...scene.webContext, kindOf }, refund.sessionId, 'ethereum', address, signed);

  it('stores it with the signature of the wallet that paid', async () => {
    const { refund, address, wallet } = await signedRefund();
    const signed = await signatureOf(wallet, refund, address, local);
    expect(await give(refund, address, signed)).toEqual({ given: { network: 'ethereum', address } });
    const row = await db.prisma.refundAddress.findFirstOrThrow({ where: { sessionId: refund.sessionId } });
    expect(Buffer.from(row.signature!)).toEqual(Buffer.from(signed.signature));
    expect(row).toMatchObject({ address, signatureRequestedAt: signed.requestedAt });
    expect(await findDestination(scene.context, { ...mainnet(ethereum), spec: ethereum }, refund)).toHaveProperty(
      'destination.isSigned',
      true,
    );
  });

  it('shows the merchant that the paying wallet proved it, and does so for no other address', async () => {
    const of = { storeId: scene.storeId, environment: 'test' } as const;
    const [signed, unsigned] = [await signedRefund(), await signedRefund()];
    await give(signed.refund, signed.address, await signatureOf(signed.wallet, signed.refund, signed.address, local));
    await giveSessionAddress({ ...scene.webContext, kindOf }, unsigned.refund.sessionId, 'ethereum', unsigned.address);
    for (const [{ refund }, isAddressSigned] of [
      [signed, true],
      [unsigned, false],
    ] as const) {
      expect(await readStoreRefund(scene.webContext, of, refund.id)).toMatchObject({ isAddressSigned });
      expect(await readPayment(scene.webContext, of, refund.sessionId)).toMatchObject({ isAddressSigned });
    }
    await db.pool.query(
      `UPDATE refunds SET hold = 'address_unconfirmed', hold_message = '-', held_at = now() WHERE id = $1`,
      [signed.refund.id],
    );
    expect(await readStoreRefund(scene.webContext, of, signed.refund.id)).toMatchObject({ isAddressSigned: false });
  });

  it('stores nothing with an invalid signature', async () => {
    const { refund, address, wallet } = await signedRefund();
    const old = new Date(scene.clock.now().getTime() - 15 * MINUTE - 1);
    const wrong = [
      await signatureOf(newSigningWallet('evm'), refund, address, local),
      await signatureOf(wallet, refund, newEvmAddress(), local),
      await signatureOf(wallet, refund, address, { ...local, requestedAt: old }),
      await signatureOf(wallet, refund, address, { on: mainnet(ethereum).spec }),
    ];
    for (const signed of wrong)
      expect(await give(refund, address, signed)).toEqual({ refused: { code: 'not_signed' } });
    expect(await db.prisma.refundAddress.count({ where: { sessionId: refund.sessionId } })).toBe(0);
  });
});
