// Changes of the wallets of sweeps, on a real EVM node: another treasury, the spare sponsor, and sponsors that cannot be used.

import { describe, expect, it } from 'vitest';
import { LOOP } from '@/testing/sweeps/on-chain';
import { SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';
import { EVM_NETWORKS } from './evm/start';

const [ETHEREUM] = EVM_NETWORKS;
const OVERDUE = 30;
const PREFIX = '0xef0100';

describe.each(SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, others, open, use, price, expectBalancedBooks } = useSweeps(row, { isSeedless });

  it('another treasury: twenty addresses that delegate for the former one are delegated again and swept, without an alarm', async () => {
    const sessions = await scene().paid(20);
    await scene().rounds(4);
    const former = scene();
    expect(await former.held(former.treasury)).toBe(20n * price());
    const next = await open();
    use(next);
    expect(next.delegate).not.toBe(former.delegate);
    for (const { address } of sessions) await next.pay(address, 12_34n);
    await next.rounds(5);
    expect(await next.held(next.treasury)).toBe(20n * price());
    expect(await former.held(former.treasury)).toBe(20n * price());
    for (const { address } of sessions) {
      expect(await others().code(address)).toBe(PREFIX + next.delegate.slice(2));
      expect(await others().count(address)).toBe(2);
    }
    expect((await next.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final', moved: 20 });
    expect((await next.signer.calls.state()).frozen).toBe(false);
    await expectBalancedBooks();
  });

  it('the former treasury once more: its delegate is used again', async () => {
    const [session] = await scene().paid(1);
    await scene().rounds(4);
    const former = scene();
    for (const treasury of [undefined, former.treasury]) {
      const next = await open(treasury === undefined ? {} : { treasury });
      await next.pay(session!.address, 12_34n);
      await next.rounds(5);
      expect(await next.held(session!.address)).toBe(0n);
      expect((await next.signer.calls.state()).frozen).toBe(false);
    }
    expect(await others().code(session!.address)).toBe(PREFIX + former.delegate.slice(2));
  });

  it('a treasury that a restored database does not know: its delegate is no alarm where TREASURY_WALLETS names it', async () => {
    const first = scene();
    const [session] = await first.paid(1);
    const second = await open();
    await second.rounds(5);
    expect(await second.held(second.treasury)).toBe(price());
    const names = [first, second].map(({ treasury }) => `${row.network}@local=${treasury}`);
    const next = await open({ treasury: first.treasury, settings: { TREASURY_WALLETS: names.join(',') } });
    // The database is a backup of the time before the second treasury.
    await next.db.pool.query(`UPDATE sweep_states SET treasury = $1, delegate = $2, former_delegates = '{}'`, [
      first.treasury,
      first.delegate,
    ]);
    await next.pay(session!.address, 12_34n);
    await next.rounds(5);
    expect((await next.signer.calls.state()).frozen).toBe(false);
    expect(await next.held(session!.address)).toBe(0n);
    expect(await next.held(first.treasury)).toBe(price());
  });

  it('another treasury while a sweep to the former one waits: the sweep is given up, and nothing is lost', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    await scene().crashAt('after-sweep-planned');
    const next = await open();
    use(next);
    await next.rounds(6);
    for (const { address } of sessions) expect(await next.held(address)).toBe(0n);
    expect(await next.held(next.treasury)).toBe(3n * price());
    expect((await next.signer.calls.state()).frozen).toBe(false);
  });

  it.each(['after-sweep-planned', 'after-sweep-signed'] as const)(
    'the spare sponsor takes over from one whose sweep is stuck at %s',
    async (point) => {
      const sessions = await scene().paid(3);
      await scene().rounds(1);
      await scene().crashAt(point);
      await scene().setCoin(0n);
      const next = await open({ treasury: scene().treasury, sponsor: 'spare' });
      expect(next.sponsor).not.toBe(scene().sponsor);
      await scene().setCoin(0n);
      use(next);
      for (let n = 0; n < 6; n++) {
        next.later(OVERDUE);
        await next.round();
      }
      for (const { address } of sessions) expect(await next.held(address)).toBe(0n);
      expect(await next.held(next.treasury)).toBe(3n * price());
      expect((await next.sweeps()).at(-1)).toMatchObject({
        kind: 'batch',
        status: 'final',
        moved: 3,
        sender: next.sponsor,
      });
      expect(await next.hold()).toBe(null);
    },
  );

  it('a sponsor that has code is refused, until it has none', async () => {
    const sessions = await scene().paid(2);
    await others().rpc('anvil_setCode', scene().sponsor, `${PREFIX}${(await others().place(LOOP)).slice(2)}`);
    await scene().rounds(2);
    expect(await scene().hold()).toBe('sponsor_has_code');
    expect(await scene().sweeps()).toEqual([]);
    await others().rpc('anvil_setCode', scene().sponsor, '0x');
    await scene().rounds(4);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(0n);
    expect(await scene().hold()).toBe(null);
  });
});

describe('a chain without the contract that deploys others', () => {
  const { scene, others } = useSweeps(ETHEREUM!);

  it('is reported, and nothing is sent', async () => {
    await scene().paid(1);
    await others().rpc('anvil_setCode', '0x4e59b44847b379578588920ca78fbf26c0b4956c', '0x');
    await scene().rounds(3);
    expect(await scene().hold()).toBe('no_factory');
    expect(await scene().sweeps()).toEqual([]);
  });
});
