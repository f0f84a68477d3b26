import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress } from 'ethers';
import { ChainError } from '@/lib/networks/chain';
import type { AddressKind } from '@/lib/networks/sending/send';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { openSecret } from '@/lib/platform/crypto';
import { newClaimToken } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { ethereum, newEvmAddress, openRefundScene, type RefundScene } from '@/testing/refunds/destined-refund';
import { addressGroups, giveClaimAddress, giveSessionAddress, readClaim, readRefundAddress } from './addresses';
import type { AddressContext } from './kind';
import { openClaim, renewClaim } from './claim-links';
import type { DestinedRefund } from '@/lib/refunds/destination/payers';
import { claimPurpose } from '@/lib/refunds/view';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
});
afterAll(() => db.close());

const HELD = { hold: 'destination_needed' };
/** The response of the chain to a page, where every address is of this kind. */
const page = (kind: AddressKind = 'wallet'): AddressContext => ({
  ...scene.webContext,
  kindOf: () => Promise.resolve(kind),
});
const give = (sessionId: string, typed: string, context = page()) =>
  giveSessionAddress(context, sessionId, 'ethereum', typed);
const claim = (token: string, typed: string, context = page(), takesContracts = false) =>
  giveClaimAddress(context, token, { typed, takesContracts });
const refused = (code: string) => ({ refused: expect.objectContaining({ code }) });
async function tokenOf(refund: DestinedRefund): Promise<string> {
  const { claimCiphertext } = await scene.row(refund.id);
  return openSecret(scene.context.config.MASTER_KEYS, claimCiphertext as Uint8Array, claimPurpose(refund.id));
}
async function claimed(): Promise<{ refund: DestinedRefund; token: string }> {
  const refund = await scene.refund(await scene.session(), HELD);
  await openClaim(page(), refund.id);
  // The web process has the same keys to open it.
  return { refund, token: await tokenOf(refund) };
}

describe('an address that a customer types', () => {
  it('is stored in the network’s format, once per session and network', async () => {
    const sessionId = await scene.session();
    const typed = getAddress(newEvmAddress());
    const address = typed.toLowerCase();
    expect(await give(sessionId, ` ${typed} `)).toEqual({ given: { network: 'ethereum', address } });
    expect(await give(sessionId, newEvmAddress())).toEqual(refused('given_already'));
    const other = newEvmAddress();
    expect(await giveSessionAddress(page(), sessionId, 'bsc', other)).toMatchObject({ given: { address: other } });
    const givenAt = scene.clock.now();
    expect(await readRefundAddress(scene.context, sessionId)).toEqual([
      { network: 'bsc', address: other, givenAt },
      { network: 'ethereum', address, givenAt },
    ]);
  });

  it('is stored once when two are given at once, and the second gets an error', async () => {
    const sessionId = await scene.session();
    const both = await Promise.all([give(sessionId, newEvmAddress()), give(sessionId, newEvmAddress())]);
    expect(both.filter((one) => 'given' in one)).toHaveLength(1);
    expect(both).toContainEqual(refused('given_already'));
  });

  it('is refused with the reason, and nothing is stored', async () => {
    const sessionId = await scene.session();
    const { evmAddress } = await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
    const cases = [
      ['nonsense', 'malformed'],
      ['TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', 'other_network'],
      ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'checksum'],
      [`0x${'0'.repeat(40)}`, 'zero'],
      [ethereum.tokens.USDC!.contract, 'token_contract'],
      [evmAddress, 'ours'],
    ] as const;
    for (const [typed, code] of cases) expect(await give(sessionId, typed)).toEqual(refused(code));
    expect(await give(sessionId, newEvmAddress(), page('contract'))).toEqual(refused('cannot_receive'));
    expect(await readRefundAddress(scene.context, sessionId)).toEqual([]);
  });

  it('is not accepted while the chain does not report whether it is a contract', async () => {
    const sessionId = await scene.session();
    const unavailable = { code: 'SERVICE_UNAVAILABLE' };
    const silent = { ...page(), kindOf: () => Promise.reject(new ChainError('unavailable', 'no endpoint answers')) };
    await expect(give(sessionId, newEvmAddress(), silent)).rejects.toMatchObject(unavailable);
    await expect(give(sessionId, newEvmAddress(), page('unknown'))).rejects.toMatchObject(unavailable);
    // By the endpoints of the settings, none of which answers.
    await expect(give(sessionId, newEvmAddress(), scene.webContext)).rejects.toMatchObject(unavailable);
    expect(await readRefundAddress(scene.context, sessionId)).toEqual([]);
  });

  it('is accepted for paid sessions only', async () => {
    for (const status of ['pending', 'expired', 'canceled', 'failed'] as const) {
      expect(await give(await scene.session(status), newEvmAddress())).toEqual(refused('not_paid'));
    }
    await expect(give('cs_test_nothing', newEvmAddress())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const elsewhere = giveSessionAddress(page(), await scene.session(), 'bitcoin', newEvmAddress());
    await expect(elsewhere).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'network' });
  });

  it('is not accepted while a refund is on its way, and again once that has ended', async () => {
    const sessionId = await scene.session();
    const now = scene.clock.now();
    const { id } = await scene.refund(sessionId, { signatureRequestedAt: now, destination: newEvmAddress() });
    expect(await give(sessionId, newEvmAddress())).toEqual(refused('being_sent'));
    await db.pool.query(`UPDATE refunds SET status = 'failed', failure_reason = 'x', processed_at = $2 WHERE id = $1`, [
      id,
      now,
    ]);
    expect(await give(sessionId, newEvmAddress())).toMatchObject({ given: {} });
  });

  it('redirects unsigned refunds at once, and fences out a worker that is about to sign', async () => {
    const sessionId = await scene.session();
    const held = await scene.refund(sessionId, HELD);
    const drafted = await scene.refund(sessionId, { destination: newEvmAddress(), hold: 'no_tokens' });
    const before = await scene.row(drafted.id);
    await give(sessionId, newEvmAddress());
    const after = await scene.row(drafted.id);
    expect(after).toMatchObject({ destination: null, destinationKind: null, hold: 'no_tokens', holdMessage: 'why' });
    expect([after.nextAt, after.epoch]).toEqual([scene.clock.now(), before.epoch + 1]);
    expect(await scene.row(held.id)).toMatchObject({
      hold: null,
      holdMessage: null,
      heldAt: null,
      nextAt: scene.clock.now(),
    });
  });

  it('and the request to sign are never both granted: the first of the two wins', async () => {
    for (let round = 0; round < 20; round++) {
      const sessionId = await scene.session();
      const { id } = await scene.refund(sessionId, { destination: newEvmAddress() });
      const { epoch } = await scene.row(id);
      const ask = db.pool.query(
        `UPDATE refunds SET signature_requested_at = now() WHERE id = $1 AND status = 'processing' AND epoch = $2 AND signature_requested_at IS NULL`,
        [id, epoch],
      );
      const [given, requested] = await Promise.all([give(sessionId, newEvmAddress()), ask]);
      expect('given' in given).toBe(requested.rowCount === 0);
    }
  });

  it('is shown back in groups of four, with the capitals that a wallet shows', () => {
    expect(addressGroups('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toEqual([
      '0x',
      '5aAe',
      'b605',
      '3F3E',
      '94C9',
      'b9A0',
      '9f33',
      '6694',
      '35E7',
      'Ef1B',
      'eAed',
    ]);
    const tron = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
    expect(addressGroups(tron).join('')).toBe(tron);
    expect(addressGroups(tron).at(-1)).toBe('ZK');
  });
});

describe('a claim link', () => {
  it('shows the waiting refund, accepts an address once, and resumes the refund at once', async () => {
    const { refund, token } = await claimed();
    const { storeId } = await scene.row(refund.id);
    const supportContact = 'help@shop.example';
    await db.prisma.storeBranding.create({
      data: { storeId, supportContact, brandColor: '#0a7d4b', updatedAt: scene.clock.now() },
    });
    const expiresAt = fromUnixSeconds(scene.clock.now().getTime() / 1000 + 30 * 86_400);
    const shown = {
      storeName: 'Test store',
      logo: null,
      brand: { brandColor: '#0a7d4b', theme: 'auto' },
      supportContact,
      orderId: (await scene.row(refund.id)).orderId,
      amount: 500n,
      currency: 'USDT',
      network: 'ethereum',
      status: 'processing',
    };
    expect(await readClaim(scene.context, token)).toMatchObject({ ...shown, state: 'open', address: null, expiresAt });
    const address = newEvmAddress();
    expect(await claim(token, address)).toEqual({ given: { network: 'ethereum', address } });
    expect(await readClaim(scene.context, token)).toMatchObject({ state: 'given', address });
    expect(await claim(token, newEvmAddress())).toEqual(refused('given_already'));
    expect(await scene.row(refund.id)).toMatchObject({ hold: null, heldAt: null, nextAt: scene.clock.now(), epoch: 1 });
    expect(await db.prisma.refundAddress.findMany({ where: { sessionId: refund.sessionId } })).toMatchObject([
      { address, intentId: refund.id, network: 'ethereum' },
    ]);
  });

  it('accepts one of two addresses that are given at once', async () => {
    const { token } = await claimed();
    const both = await Promise.all([0, 1].map(() => claim(token, newEvmAddress())));
    expect(both.filter((one) => 'given' in one)).toHaveLength(1);
    expect(both).toContainEqual(refused('given_already'));
  });

  it('accepts no address that a session’s page would refuse', async () => {
    const { token } = await claimed();
    expect(await claim(token, `0x${'0'.repeat(40)}`)).toEqual(refused('zero'));
    expect(await claim(token, newEvmAddress(), page('contract'))).toEqual(refused('cannot_receive'));
    // A smart wallet whose customer confirmed that it can receive, and a plain wallet for which they confirmed it needlessly.
    for (const kind of ['contract', 'wallet'] as const) {
      const smart = await claimed();
      const address = newEvmAddress();
      expect(await claim(smart.token, address, page(kind), true)).toMatchObject({ given: { address } });
      const kept = await db.prisma.refundAddress.findUniqueOrThrow({ where: { intentId: smart.refund.id } });
      expect(kept.isContract).toBe(kind === 'contract');
    }
    expect(await readClaim(scene.context, token)).toMatchObject({ state: 'open' });
  });

  it('is rejected when it is unknown or expired, or the refund no longer waits', async () => {
    for (const token of [newClaimToken(), '', "' OR 1=1 --", 'x'.repeat(10_000)]) {
      expect(await readClaim(scene.context, token)).toBeNull();
      expect(await claim(token, newEvmAddress())).toEqual(refused('link_unknown'));
    }
    const { token } = await claimed();
    const clock = { now: () => fromUnixSeconds(1_800_000_000 + 30 * 86_400) };
    expect(await claim(token, newEvmAddress(), { ...page(), clock })).toEqual(refused('link_expired'));
    expect(await readClaim({ ...scene.context, clock }, token)).toMatchObject({ state: 'expired' });
    const changes = [
      `status = 'canceled', processed_at = now()`,
      `signature_requested_at = now(), destination = 'x', destination_kind = 'payer', destination_reference = 'x'`,
      `hold = 'no_tokens'`,
    ];
    for (const change of changes) {
      const other = await claimed();
      await db.pool.query(`UPDATE refunds SET ${change} WHERE id = $1`, [other.refund.id]);
      expect(await claim(other.token, newEvmAddress())).toEqual(refused('not_waiting'));
      expect(await readClaim(scene.context, other.token)).toMatchObject({ state: 'closed' });
    }
  });

  it('renewed by its merchant invalidates the previous one, and no other store can renew it', async () => {
    const { refund, token } = await claimed();
    scene.clock.advance(86_400);
    const renewed = await renewClaim(scene.webContext, { storeId: scene.storeId, refundId: refund.id });
    const fresh = await tokenOf(refund);
    expect(renewed.url).toBe(`http://127.0.0.1:3000/claim/${fresh}`);
    expect(fresh).not.toBe(token);
    const { claimExpiresAt, nextAt } = await scene.row(refund.id);
    expect([renewed.expiresAt, scene.clock.now()]).toEqual([claimExpiresAt, nextAt]);
    expect(await readClaim(scene.context, token)).toBeNull();
    expect(await claim(token, newEvmAddress())).toEqual(refused('link_unknown'));
    const stranger = renewClaim(scene.context, { storeId: 'st_other', refundId: refund.id });
    await expect(stranger).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
    expect(await claim(fresh, newEvmAddress())).toMatchObject({ given: {} });
    const again = renewClaim(scene.context, { storeId: scene.storeId, refundId: refund.id });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});
