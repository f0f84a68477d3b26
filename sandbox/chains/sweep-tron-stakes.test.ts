// An operator stakes TRX of the sponsor on the local TRON chain, unstakes it and withdraws it, as with the words of the keystore at another
// machine. The worker reads it with the sponsor's coin, and the ledger explains all of it.

import { expect, it } from 'vitest';
import { readCoinChecks } from '@/lib/ledger/coin/checks';
import { readStakes } from '@/lib/ledger/coin/stakes';
import { coinStep } from '@/lib/ledger/coin/step';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { TRON_SPONSOR_PATHS } from '@/lib/treasury/wallets/derivation-sweep';
import { bip32Key } from '@/lib/treasury/wallets/secp-account';
import { seed } from '@/testing/signer/signer-scene';
import { TRX, type TronScene } from '@/testing/sweeps/tron-scene';
import { useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';
import { readAddress } from './tron/address';
import type { ContractType } from './tron/messages';
import type { Message } from './tron/protobuf';
import { sendTo } from './tron/sweeping';

const DAY = 86_400;
/** The worker reads the sponsor's coin every minute. */
const READ_AGAIN = 61;
const { open } = useTronSweeps();

/** A transaction of the sponsor that the worker knows nothing of. */
async function operatorSends(scene: TronScene, type: ContractType, value: Message): Promise<void> {
  const key = `0x${Buffer.from(bip32Key(seed, TRON_SPONSOR_PATHS.test.first)).toString('hex')}`;
  const from = { address: readAddress(scene.sponsor) as string, key };
  expect((await sendTo(scene.node, from, type, value)).outcome).toBe('SUCCESS');
}

async function daysLater(scene: TronScene, days: number): Promise<void> {
  scene.later(days * DAY);
  await scene.node.mine(1);
}

/** What the ledger has of the sponsor after the next reading, what it cannot explain, and what operators see. */
async function afterReading(scene: TronScene) {
  const { context, sponsor } = scene;
  await scene.makeFinal();
  scene.later(READ_AGAIN);
  await scene.sweep();
  await coinStep(context);
  const { rows } = await context.pool.query<{ account: string; amount: string }>(
    `SELECT account, amount::text AS amount FROM ledger_balances WHERE account IN ('fee_coin:' || $1, 'fee_coin:staked:' || $1)`,
    [sponsor],
  );
  const of = (account: string) => BigInt(rows.find((row) => row.account === account)?.amount ?? 0);
  const [stake] = await readStakes(context.pool, context.clock.now());
  expect(await readCoinChecks(context.pool)).toMatchObject([{ address: sponsor, came: 0n, went: 0n }]);
  expect((await checkBooks(context.pool)).filter(({ count }) => count > 0)).toEqual([]);
  return { coin: of(`fee_coin:${sponsor}`), staked: of(`fee_coin:staked:${sponsor}`), stake: stake?.stake ?? null };
}

it('is explained by the ledger at each step, also while energy of the stake is lent', async () => {
  const scene = await open({ coin: 3000n * TRX, stake: 500n * TRX });
  const staked = 500n * TRX;
  expect(await afterReading(scene)).toMatchObject({ coin: 0n, staked, stake: { staked, unstaking: 0n } });

  await operatorSends(scene, 'FreezeBalanceV2Contract', { frozen_balance: Number(1000n * TRX), resource: 'ENERGY' });
  expect(await afterReading(scene)).toMatchObject({ coin: -1000n * TRX, staked: 1500n * TRX });

  await scene.lendTo(400n * TRX);
  expect(await afterReading(scene)).toMatchObject({ coin: -1000n * TRX, staked: 1500n * TRX });

  await daysLater(scene, 1);
  await operatorSends(scene, 'UnfreezeBalanceV2Contract', {
    unfreeze_balance: Number(1000n * TRX),
    resource: 'ENERGY',
  });
  const unstaked = await afterReading(scene);
  expect(unstaked).toMatchObject({ coin: -1000n * TRX, staked: 1500n * TRX });
  expect(unstaked.stake).toMatchObject({ staked, unstaking: 1000n * TRX });
  const days = (Number(unstaked.stake?.withdrawableAt) - scene.context.clock.now().getTime()) / (DAY * 1000);
  expect(days).toBeGreaterThan(13.9);
  expect(days).toBeLessThanOrEqual(14);

  await daysLater(scene, 14);
  await operatorSends(scene, 'WithdrawExpireUnfreezeContract', {});
  expect(await afterReading(scene)).toEqual({
    ...{ coin: 0n, staked },
    stake: { staked, unstaking: 0n, withdrawableAt: null },
  });
  expect(scene.account(scene.sponsor).balance).toBe(3000n * TRX);
});
