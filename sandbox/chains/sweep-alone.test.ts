// Sweeps where no endpoint takes EIP-7702 transactions, on a real EVM node behind an endpoint that refuses them or that estimates more
// gas: addresses get coin and send their tokens themselves, and nothing but a remainder of coin stays. Each transfer is signed by the key of
// its address. Where no key is online, the money waits until an endpoint takes the type again.

import { describe, expect, it } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import type { SweepScene } from '@/testing/sweeps/sweep-scene';
import { startRefusingEndpoint, type Rules } from '@/testing/sweeps/refusing-endpoint';
import { SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';
import { EVM_NETWORKS } from './evm/start';

const [ETHEREUM] = EVM_NETWORKS;
const OVERDUE = 30;
const MILLI = 10n ** 15n;

/** How nodes word that they do not take the type. */
const WORDINGS = [
  'transaction type not supported',
  'unsupported transaction type: 4',
  'Transaction type DELEGATE_CODE is invalid, accepted transaction types are [FRONTIER, ACCESS_LIST, EIP1559]',
  'InvalidTxType: Transaction type in SetCode is not supported.',
  'unknown transaction type',
];

type Refuse = NonNullable<Rules['refuse']>;
const isSetCode: (call: Parameters<Refuse>[0]) => boolean = ({ method, params }) =>
  method === 'eth_sendRawTransaction' && String(params[0]).startsWith('0x04');
const refusing = (message: string, isRefusing: () => boolean = () => true): Rules => ({
  refuse: (call) => (isRefusing() && isSetCode(call) ? { code: -32000, message } : null),
});
const estimating = (times: number): Rules => ({
  change: ({ method }, result) =>
    method === 'eth_estimateGas' ? `0x${(BigInt(String(result)) * BigInt(times)).toString(16)}` : result,
});

/** A scene whose worker reaches the node through an endpoint with these rules. */
const openBehind =
  ({ chain, open, use }: Pick<ReturnType<typeof useSweeps>, 'chain' | 'open' | 'use'>) =>
  async <T>(rules: Rules, work: (scene: SweepScene) => Promise<T>): Promise<T> => {
    const endpoint = await startRefusingEndpoint(chain().rpcUrl, rules);
    try {
      const scene = await open({ urls: [endpoint.url] });
      use(scene);
      return await work(scene);
    } finally {
      await endpoint.stop();
    }
  };

describe.each(SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const sweeps = useSweeps(row, { isSeedless });
  const { expectSweptOnce, price } = sweeps;
  const behind = openBehind(sweeps);

  it('an endpoint that takes the type again is used for batches after an hour, and sweeps what waited for keys that are offline', () => {
    let isRefusing = true;
    return behind(
      refusing(WORDINGS[0]!, () => isRefusing),
      async (scene) => {
        const [session] = await scene.paid(1);
        await scene.rounds(6);
        const kinds = (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`);
        if (isSeedless) {
          expect(await scene.held(session!.address)).toBe(price());
          expect(await scene.hold()).toBe('keys_offline');
          expect(kinds).toEqual(['deploy final', 'batch lapsed']);
        } else {
          await expectSweptOnce([session!]);
          expect(kinds).toEqual(['deploy final', 'batch lapsed', 'top_up final', 'transfer final']);
        }
        isRefusing = false;
        scene.later(3700);
        const more = await scene.paid(3);
        await scene.rounds(4);
        await expectSweptOnce([session!, ...more]);
        const moved = isSeedless ? 4 : 3;
        expect((await scene.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final', moved });
      },
    );
  });
});

describe.each(EVM_NETWORKS)('$network', (row) => {
  const sweeps = useSweeps(row);
  const { others, expectSweptOnce, price } = sweeps;

  const behind = openBehind(sweeps);
  const coinLeft = async (sessions: readonly { address: string }[]) => {
    let sum = 0n;
    for (const { address } of sessions) sum += await others().coin(address);
    return sum;
  };

  it('an endpoint that refuses the type: each address is topped up and sends its tokens, and only a remainder of coin stays', () =>
    behind(refusing(WORDINGS[0]!), async (scene) => {
      const sessions = await scene.paid(4);
      await scene.rounds(12);
      await expectSweptOnce(sessions);
      const kinds = (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`);
      expect(kinds.filter((one) => one === 'top_up final')).toHaveLength(4);
      expect(kinds.filter((one) => one === 'transfer final')).toHaveLength(4);
      expect(kinds.filter((one) => one.startsWith('batch'))).toEqual(['batch lapsed']);
      expect(await coinLeft(sessions)).toBeLessThan(MILLI);
      // The ledger has that remainder to the wei: what top-ups moved, less what the transfers took.
      await coinStep(scene.context);
      const { rows } = await scene.context.pool.query<{ amount: string }>(
        `SELECT amount::text AS amount FROM ledger_balances WHERE account = 'fee_coin:deposits'`,
      );
      expect(BigInt(rows[0]?.amount ?? 0)).toBe(await coinLeft(sessions));
    }));

  it('an address with coin sends its tokens in the next run', () =>
    behind(refusing(WORDINGS[0]!), async (scene) => {
      const sessions = await scene.paid(2);
      for (const { address } of sessions) await others().addCoin(address);
      await scene.rounds(4);
      await expectSweptOnce(sessions);
      expect((await scene.sweeps()).filter(({ kind }) => kind === 'top_up')).toEqual([]);
    }));

  it('a top-up that a block takes late is followed by the transfer, and is not sent twice', () =>
    behind(refusing(WORDINGS[0]!), async (scene) => {
      const sessions = await scene.paid(2);
      await scene.rounds(2);
      await others().setAutomine(false);
      for (let n = 0; n < 10; n++) await scene.sweep();
      scene.later(OVERDUE);
      await scene.sweep();
      await others().setAutomine(true);
      await scene.rounds(10);
      await expectSweptOnce(sessions);
      expect((await scene.sweeps()).filter(({ kind }) => kind === 'top_up')).toHaveLength(2);
    }));

  it('a blocked address stops no other one', () =>
    behind(refusing(WORDINGS[0]!), async (scene) => {
      const sessions = await scene.paid(3);
      const block = row.network === 'ethereum' ? 'addBlackList' : 'blacklist';
      await others().asIssuer(block, [sessions[0]!.address]);
      await scene.rounds(10);
      expect(await scene.held(scene.treasury)).toBe(2n * price());
      expect(await others().coin(sessions[0]!.address)).toBe(0n);
    }));

  it('an address that can no longer pay for its transfer is topped up again, and does not stop others', () =>
    behind(refusing(WORDINGS[0]!), async (scene) => {
      const [poor, other] = await scene.paid(2);
      await others().addCoin(poor!.address);
      await scene.rounds(2);
      await others().setAutomine(false);
      await scene.sweep();
      for (const hash of await others().pool()) await others().drop(hash);
      expect((await scene.sweeps()).filter(({ kind }) => kind === 'transfer')).toMatchObject([{ status: 'signed' }]);
      await others().rpc('anvil_setBalance', poor!.address, '0x1');
      await others().setAutomine(true);
      for (let n = 0; n < 10; n++) {
        scene.later(OVERDUE);
        await scene.round();
      }
      await expectSweptOnce([poor!, other!]);
    }));

  it.each([8, 12])('estimates that are %i times as high: everything is swept, and no transaction fails', (times) =>
    behind(estimating(times), async (scene) => {
      const sessions = await scene.paid(60);
      await scene.rounds(16);
      await expectSweptOnce(sessions);
      expect((await scene.sweeps()).filter(({ status }) => status !== 'final')).toEqual([]);
    }),
  );
});

describe('estimates that are above what is ever paid', () => {
  const { chain, open, price } = useSweeps(ETHEREUM!);

  it('hold the sweep, and nothing is sent', async () => {
    const endpoint = await startRefusingEndpoint(chain().rpcUrl, estimating(40));
    const scene = await open({ urls: [endpoint.url] });
    const [session] = await scene.paid(1);
    await scene.rounds(4);
    expect(await scene.hold()).toBe('fee_too_high');
    expect(await scene.held(session!.address)).toBe(price());
    await endpoint.stop();
  });
});

describe('an endpoint that refuses the type', () => {
  const { chain, open, use, expectSweptOnce } = useSweeps(ETHEREUM!);

  it.each(WORDINGS)('in these words is not asked again: %s', async (message) => {
    const endpoint = await startRefusingEndpoint(chain().rpcUrl, refusing(message));
    const scene = await open({ urls: [endpoint.url] });
    use(scene);
    const sessions = await scene.paid(1);
    await scene.rounds(6);
    await expectSweptOnce(sessions);
    expect((await scene.sweeps()).filter(({ kind }) => kind === 'batch')).toHaveLength(1);
    await endpoint.stop();
  });

  it('already when it estimates the gas is not asked again', async () => {
    const isAbout = (call: Parameters<Refuse>[0]) =>
      isSetCode(call) ||
      (call.method === 'eth_estimateGas' && JSON.stringify(call.params).includes('authorizationList'));
    const refuse: Refuse = (call) => (isAbout(call) ? { code: -32602, message: WORDINGS[0]! } : null);
    const endpoint = await startRefusingEndpoint(chain().rpcUrl, { refuse });
    const scene = await open({ urls: [endpoint.url] });
    use(scene);
    const sessions = await scene.paid(1);
    await scene.rounds(6);
    await expectSweptOnce(sessions);
    await endpoint.stop();
  });
});
