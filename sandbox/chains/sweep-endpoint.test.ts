// Sweeps by endpoints that fail, on a real EVM node: answers that are lost, old account nonces, and refusals that pass by themselves.

import { describe, expect, it } from 'vitest';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { startRefusingEndpoint, type Call, type Rules } from '@/testing/sweeps/refusing-endpoint';
import type { SweepScene } from '@/testing/sweeps/sweep-scene';
import { ETHEREUM_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

const OVERDUE = 30;
const HOUR = 3600;
/** What nodes answer about fees above their limit (rpc.txfeecap). */
const ABOVE_CAP = { code: -32000, message: 'tx fee (5.20 ether) exceeds the configured cap (5.00 ether)' };

describe.each(ETHEREUM_SWEEPINGS)('a signer that does not answer: $name', ({ row, isSeedless }) => {
  const { scene, expectSweptOnce } = useSweeps(row, { isSeedless });
  /** Without a seed it is asked for no authorization. */
  const calls = isSeedless ? (['state', 'sweep'] as const) : (['state', 'authorize', 'sweep'] as const);

  it.each(calls)('to %s is reported, and sweeps go on once it does', async (call) => {
    const sessions = await scene().paid(2);
    await scene().rounds(1);
    const { calls: served } = scene().signer;
    const own = served[call];
    const fail = () => Promise.reject(new AddressSourceError('unavailable', 'The signer cannot be reached.'));
    Object.assign(served, { [call]: fail });
    for (let n = 0; n < 2; n++) await scene().round();
    expect(await scene().hold()).toBe('signer_unavailable');
    Object.assign(served, { [call]: own });
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect(await scene().hold()).toBe(null);
  });
});

describe.each(ETHEREUM_SWEEPINGS)('an endpoint: $name', ({ row, isSeedless }) => {
  const { chain, others, open, use, expectSweptOnce, expectNoGap } = useSweeps(row, { isSeedless });

  async function behind<T>(rules: Rules, work: (scene: SweepScene) => Promise<T>): Promise<T> {
    const endpoint = await startRefusingEndpoint(chain().rpcUrl, rules);
    try {
      const scene = await open({ urls: [endpoint.url] });
      use(scene);
      return await work(scene);
    } finally {
      await endpoint.stop();
    }
  }
  const isSent = ({ method }: { method: string }) => method === 'eth_sendRawTransaction';

  it('that cannot answer about one address: the others are swept, and that one later', () => {
    let unread = '';
    const refuse = ({ method, params }: Call) =>
      method === 'eth_getBalance' && params[0] === unread ? { code: -32000, message: 'missing trie node' } : null;
    return behind({ refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      unread = sessions[1]!.address;
      await scene.rounds(5);
      expect(await scene.held(sessions[0]!.address)).toBe(0n);
      expect(await scene.held(sessions[2]!.address)).toBe(0n);
      expect(await scene.held(unread)).toBeGreaterThan(0n);
      unread = '';
      scene.later(601);
      await scene.rounds(3);
      await expectSweptOnce(sessions);
    });
  });

  it('that cannot answer about an address which a sweep did not move: the sweep ends, and other money is swept', () => {
    let unread = '';
    let isDown = false;
    const refuse = ({ method, params }: Call) =>
      isDown || (method === 'eth_getBalance' && params[0] === unread)
        ? { code: -32000, message: 'missing trie node' }
        : null;
    return behind({ refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(1);
      await scene.crashAt('after-sweep-signed');
      unread = sessions[1]!.address;
      await others().asIssuer('addBlackList', [unread]);
      await scene.round();
      // Without any answer the sweep waits.
      isDown = true;
      await scene.round();
      expect((await scene.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'signed' });
      expect(await scene.hold()).toBe('chain_unavailable');
      isDown = false;
      await scene.round();
      expect((await scene.sweeps()).at(-1)).toMatchObject({
        status: 'final',
        moved: 2,
        reasons: [null, 'refused', null],
      });
      const more = await scene.paid(1);
      await scene.rounds(3);
      expect(await scene.held(more[0]!.address)).toBe(0n);
      expect(await scene.held(unread)).toBeGreaterThan(0n);
      await others().asIssuer('removeBlackList', [unread]);
      unread = '';
      scene.later(HOUR + 60);
      await scene.rounds(4);
      await expectSweptOnce([...sessions, ...more]);
    });
  });

  it('that takes a transaction and reports an error: it is followed, and no other one is sent', () => {
    const error = { code: -32000, message: 'internal error' };
    return behind({ lose: (call) => (isSent(call) ? error : null) }, async (scene) => {
      const before = await others().count(scene.sponsor);
      const sessions = await scene.paid(3);
      await scene.rounds(6);
      await expectSweptOnce(sessions);
      await expectNoGap(before);
    });
  });

  it.each([
    'authority already reserved',
    'in-flight transaction limit reached for delegated accounts',
    'txpool is full',
  ])('that refuses for a while (%s): the sweep waits, and is sent once', (message) => {
    let left = 4;
    const refuse = (call: { method: string }) => (isSent(call) && left-- > 0 ? { code: -32000, message } : null);
    return behind({ refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.sweep();
      expect(await scene.hold()).toBe('chain_unavailable');
      await scene.rounds(8);
      await expectSweptOnce(sessions);
      expect((await scene.sweeps()).map(({ kind }) => kind)).toEqual(['deploy', 'batch']);
      expect(await scene.hold()).toBe(null);
    });
  });

  /** Refuses new transactions while it is on, and the same ones for ever. */
  function openCap() {
    const [taken, refused] = [new Set<unknown>(), new Set<unknown>()];
    const cap = {
      isOn: false,
      refuse: (call: Call) => {
        const [bytes] = call.params;
        if (!isSent(call)) return null;
        const isTaken = taken.has(bytes) || (!cap.isOn && !refused.has(bytes));
        (isTaken ? taken : refused).add(bytes);
        return isTaken ? null : ABOVE_CAP;
      },
    };
    return cap;
  }
  const outcomes = async (scene: SweepScene) => (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`);

  it('that refuses a sweep for good: it is given up after an hour, others go first, and everything moves once', () => {
    const cap = openCap();
    return behind({ refuse: cap.refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(1);
      cap.isOn = true;
      await scene.round();
      cap.isOn = false;
      const more = await scene.paid(1);
      scene.later(HOUR - 60);
      await scene.round();
      expect(await scene.hold()).toBe('chain_unavailable');
      expect((await scene.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'signed', variants: 1 });
      scene.later(120);
      await scene.rounds(4);
      const held = await Promise.all([...sessions, ...more].map(({ address }) => scene.held(address)));
      expect(held.map((amount) => amount > 0n)).toEqual([true, true, true, false]);
      scene.later(HOUR);
      await scene.rounds(4);
      await expectSweptOnce([...sessions, ...more]);
      expect(await outcomes(scene)).toEqual(['deploy final', 'batch lapsed', 'batch final', 'batch final']);
      expect(await scene.hold()).toBe(null);
    });
  });

  it('that refuses the higher price of a sweep in its pool: the sweep waits, and is given up once the pool lost it', () => {
    const cap = openCap();
    return behind({ refuse: cap.refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(1);
      await others().setAutomine(false);
      await scene.sweep();
      const pool = await others().pool();
      cap.isOn = true;
      for (const seconds of [OVERDUE, HOUR, HOUR]) {
        scene.later(seconds);
        await scene.sweep();
      }
      expect((await scene.sweeps()).slice(1)).toMatchObject([{ kind: 'batch', status: 'signed', variants: 2 }]);
      expect(await others().pool()).toEqual(pool);
      cap.isOn = false;
      await others().drop(pool[0]!);
      await scene.sweep();
      await others().setAutomine(true);
      scene.later(HOUR);
      await scene.rounds(4);
      await expectSweptOnce(sessions);
      expect(await outcomes(scene)).toEqual(['deploy final', 'batch lapsed', 'batch final']);
    });
  });

  it.each([
    ['limits its rate', () => ({ code: -32005, message: 'daily request count exceeded, request rate limited' })],
    [
      'does not answer',
      () => {
        throw new Error('the connection is closed');
      },
    ],
  ])('that %s for hours: the sweep is not given up, and is sent once', (_what, fail) => {
    let isFailing = false;
    return behind({ refuse: (call) => (isFailing && isSent(call) ? fail() : null) }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(1);
      isFailing = true;
      for (let n = 0; n < 4; n++) {
        await scene.round();
        scene.later(HOUR);
      }
      expect(await scene.hold()).toBe('chain_unavailable');
      expect((await scene.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'signed', variants: 1 });
      isFailing = false;
      await scene.rounds(4);
      await expectSweptOnce(sessions);
      expect((await scene.sweeps()).map(({ kind }) => kind)).toEqual(['deploy', 'batch']);
    });
  });

  it('that reports an old account nonce: the sweep lapses, and the next one moves everything once', () => {
    let isOld = false;
    const change: Rules['change'] = ({ method, params }, result) =>
      isOld && method === 'eth_getTransactionCount' && params[1] === 'pending'
        ? `0x${(Number(result) - 1).toString(16)}`
        : result;
    return behind({ change }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(4);
      await expectSweptOnce(sessions);
      isOld = true;
      const more = await scene.paid(2);
      await scene.rounds(3);
      isOld = false;
      for (let n = 0; n < 4; n++) {
        scene.later(OVERDUE);
        await scene.round();
      }
      await expectSweptOnce([...sessions, ...more]);
      expect((await scene.sweeps()).map(({ status }) => status)).toContain('lapsed');
    });
  });

  it('that loses every answer for an hour: nothing is sent twice, and everything is swept afterwards', () => {
    let isDown = false;
    const refuse = () => (isDown ? { code: -32000, message: 'service unavailable' } : null);
    return behind({ refuse }, async (scene) => {
      const sessions = await scene.paid(3);
      await scene.rounds(1);
      await scene.crashAt('after-sweep-signed');
      isDown = true;
      for (let n = 0; n < 10; n++) {
        scene.later(360);
        await scene.sweep();
      }
      isDown = false;
      scene.later(OVERDUE);
      await scene.rounds(5);
      await expectSweptOnce(sessions);
    });
  });

  it('that serves a counterfeit token of the same symbol: it is not touched', () =>
    behind({}, async (scene) => {
      const sessions = await scene.paid(1);
      const fooled = await scene.session();
      const payment = { currency: 'USDT', recipient: fooled.address, cents: 12_34n } as const;
      await chain().pay({ ...payment, scenario: 'fake_token' });
      await chain().mine(6);
      await scene.watch();
      await scene.rounds(4);
      await expectSweptOnce(sessions);
      expect(await others().code(fooled.address)).toBe('0x');
    }));
});
