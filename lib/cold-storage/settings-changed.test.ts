// Cold transfers that are open while the operator changes the settings of the worker or of the signer. A real database and the real
// signer; the chain is simulated.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RefundSigning } from '@/lib/refunds/sending/sending-context';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { policy } from '@/testing/signer/signer-scene';

const [COLD, OTHER] = [`0x${'c0'.repeat(20)}`, `0x${'d1'.repeat(20)}`];
const ID = 'ct_test_ethereum_USDT_1';
const LIMITS = { perRefund: 100_000n, perHour: 200_000n, perDay: 500_000n };
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: ColdScene;
beforeEach(async () => {
  restart();
  db = await openTestDatabase();
  scene = await openColdScene({ db, clock, spec, sender, wallet: COLD });
  await scene.holds(1000_00n);
  await scene.step();
});
afterEach(() => db.close());

const signerWith = (address: string, limits = LIMITS) =>
  scene.signing.restart({ policy: { ...policy(), cold: { wallets: [{ spec, address }], limits } } });

describe('a transfer that is not signed and that the signer would refuse for ever', () => {
  it('because its limit is lower now is canceled, and one within the limit follows', async () => {
    signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
    await scene.step();
    await scene.step();
    expect(await scene.transfers()).toMatchObject([
      { amount: 700_00n, status: 'canceled' },
      { amount: 300_00n, status: 'pending' },
    ]);
  });

  it('because it has pinned another wallet is canceled, and none follows', async () => {
    signerWith(OTHER);
    await scene.step();
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toMatchObject([[{ status: 'canceled' }], 'signer_differs']);
  });
});

describe('a transfer that the signer may sign later', () => {
  it.each([
    ['while the signer is frozen', () => void scene.signing.signer.freeze('a test')],
    ['at exactly its limit', () => void signerWith(COLD, { ...LIMITS, perRefund: 700_00n })],
    ['beside other limits', () => void signerWith(COLD, { ...LIMITS, perHour: 100_000n })],
  ])('stays, %s', async (_, given) => {
    given();
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ status: 'pending' }]);
  });
});

describe('the operator names another cold wallet after a signature was requested', () => {
  type Sign = RefundSigning['sign'];
  /** The signer does not answer the request of this pass. */
  async function unanswered(sign: (call: Sign) => Sign) {
    const { calls } = scene.signing;
    await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign: sign(calls.sign) } } });
    scene.signing.isDown = false;
    expect(await scene.attempts(ID)).toMatchObject([{ status: 'drafted' }]);
    expect(await scene.transfers()).toMatchObject([{ destination: COLD, signatureRequestedAt: clock.now() }]);
  }

  /** The worker runs with the other wallet, and so does the signer. */
  async function untilEndedElsewhere() {
    signerWith(OTHER);
    chain.outcome = 'landed';
    const config = { ...scene.context.config, COLD_WALLETS: [`${spec.network}@${spec.chain}=${OTHER}`] };
    for (let turn = 0; turn < 10; turn++, time.now += 60_000) {
      await scene.isRead(1000_00n);
      await scene.pass({}, { ...scene.context, config });
    }
    return scene.transfers();
  }

  describe('that the signer refused when it was repeated', () => {
    const down = (call: Sign) => (params: Parameters<Sign>[0]) => ((scene.signing.isDown = true), call(params));
    /** The limit is lower by now, so the signer refuses what it did not answer. */
    async function refusedLater() {
      await unanswered(down);
      signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
      await scene.pass();
      expect(await scene.attempts(ID)).toMatchObject([{ status: 'refused' }]);
      expect(await scene.transfers()).toMatchObject([{ status: 'processing', signatureRequestedAt: expect.any(Date) }]);
    }
    async function stepLater(minutes: number) {
      time.now += minutes * 60_000;
      await scene.isRead(1000_00n);
      await scene.step();
    }

    it('is canceled when no request can be on its way any more, and one within the limit follows', async () => {
      await refusedLater();
      await stepLater(4);
      expect(await scene.transfers()).toMatchObject([{ status: 'processing' }]);
      await stepLater(1);
      await stepLater(1);
      expect(await scene.transfers()).toMatchObject([
        { amount: 700_00n, status: 'canceled', signatureRequestedAt: null },
        { amount: 300_00n, status: 'pending' },
      ]);
      chain.outcome = 'landed';
      for (let turn = 0; turn < 4; turn++, time.now += 1000) await scene.pass();
      expect(await scene.books()).toEqual({ cold: 300_00n, wallet: 700_00n });
      expect(scene.signing.signer.attempts(ID).attempts).toEqual([]);
    });

    it('stays while another request of it has no answer', async () => {
      await refusedLater();
      signerWith(COLD);
      time.now += 60_000;
      await scene.isRead(1000_00n);
      const { calls } = scene.signing;
      await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign: down(calls.sign) } } });
      scene.signing.isDown = false;
      expect((await scene.attempts(ID)).map(({ status }) => status)).toEqual(['refused', 'drafted']);
      signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
      await stepLater(10);
      expect(await scene.transfers()).toMatchObject([{ status: 'processing', signatureRequestedAt: expect.any(Date) }]);
    });

    it('stays if the signer signed a request that was sent late, after the refusal that is stored', async () => {
      let late: () => unknown = () => null;
      await unanswered((call) => (params) => {
        late = () => call(params);
        return down(call)(params);
      });
      signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
      await scene.pass();
      signerWith(COLD);
      await late();
      signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
      await stepLater(10);
      expect(scene.signing.signer.attempts(ID).attempts.length).toBe(1);
      expect(await scene.transfers()).toMatchObject([{ status: 'processing', signatureRequestedAt: expect.any(Date) }]);
    });

    it('stays if the signer signed it', async () => {
      await refusedLater();
      signerWith(COLD);
      time.now += 60_000;
      await scene.isRead(1000_00n);
      await scene.pass();
      expect((await scene.attempts(ID)).map(({ status }) => status)).toEqual(['refused', 'sent']);
      signerWith(COLD, { ...LIMITS, perRefund: 300_00n });
      await stepLater(10);
      expect(await scene.transfers()).toMatchObject([{ status: 'processing' }]);
    });
  });

  it('what it has not signed goes to the other wallet', async () => {
    await unanswered((call) => (params) => ((scene.signing.isDown = true), call(params)));
    expect(await untilEndedElsewhere()).toMatchObject([{ status: 'completed', destination: OTHER }]);
    expect(scene.signing.signer.attempts(ID).attempts).toHaveLength(1);
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
  });

  it('what it has signed goes to the former one', async () => {
    await unanswered((call) => async (params) => {
      await call(params);
      scene.signing.isDown = true;
      return call(params);
    });
    expect(await untilEndedElsewhere()).toMatchObject([{ status: 'completed', destination: COLD }]);
    expect(scene.signing.signer.attempts(ID).attempts).toHaveLength(1);
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
  });
});
