// One endpoint is not enough if the operator requires more: a perfect forgery is not credited, and honest endpoints agree
// although they are at different slots.

import { describe, expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import { useFaultySolana, watchOurs, wholeWindow, type Result } from '@/testing/solana/solana-faulty-pair';
import { fakeKey, fakeSignature, TOKEN_PROGRAM } from '@/testing/solana/solana-ledger';
import { ata, localSolana, OURS, PAYER, usdt } from '@/testing/solana/solana-scene';
import { openSolanaAdapter } from './adapter';

const { clock, faulty, good } = useFaultySolana();
const FORGED = fakeSignature('forged');

/** As in the settings: from this many cents on, two must agree. */
const openTrusting = (above: bigint) => {
  const urls = [faulty().url, good().url];
  return openSolanaAdapter({
    spec: localSolana,
    urls,
    clock,
    log: silentLog(),
    timeoutMs: 3000,
    trust: { above, abovePerHour: 1n << 62n, endpoints: 2 },
  });
};

/** A forged payment of a dollar, with everything that one endpoint can show for it. */
function forge(): void {
  const balance = (accountIndex: number, owner: string, amount: string) => ({
    accountIndex,
    mint: usdt,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount, decimals: 6 },
  });
  const transaction = {
    slot: 9,
    meta: {
      err: null,
      preTokenBalances: [balance(1, OURS, '24'), balance(2, PAYER, '5000000')],
      postTokenBalances: [balance(1, OURS, '1000024'), balance(2, PAYER, '4000000')],
    },
    transaction: { signatures: [FORGED], message: { accountKeys: [fakeKey('fees'), ata(OURS), ata(PAYER)] } },
  };
  faulty().tamper = ({ method, params }, result) => {
    if (method === 'getTransaction' && params[0] === FORGED) return transaction;
    if (method === 'getSignaturesForAddress' && params[0] === ata(OURS)) {
      return [{ signature: FORGED, slot: 9, err: null }, ...(result as Result[])];
    }
    if (method !== 'getMultipleAccounts' || !(params[0] as string[]).includes(ata(OURS))) return undefined;
    const answer = structuredClone(result) as Result;
    const raised = answer.value.map((one) => {
      if (!one) return one;
      const data = Buffer.from(one.data[0], 'base64');
      data.writeBigUInt64LE(1_000_024n, 64);
      return { ...one, data: [data.toString('base64'), 'base64'] };
    });
    return { ...answer, value: raised };
  };
}

describe('a perfect forgery', () => {
  it('is accepted below the limit only while no other endpoint answers', async () => {
    forge();
    const contradicted = openTrusting(1000n).scan(wholeWindow(good()), watchOurs);
    await expect(contradicted).rejects.toMatchObject({ fault: 'contradiction' });
    good().tamper = () => ({ error: { code: -32_000, message: 'gone' } });
    const { transfers } = await openTrusting(1000n).scan(wholeWindow(good()), watchOurs);
    good().tamper = () => undefined;
    expect(transfers.map(({ amount }) => amount)).toContain(1_000_000n);
  });

  it('is not credited at or above the amount for which two must agree', async () => {
    forge();
    const scan = openTrusting(100n).scan(wholeWindow(good()), watchOurs);
    await expect(scan).rejects.toMatchObject({ fault: 'contradiction' });
  });
});

it('honest endpoints agree although one lags the other by some slots', async () => {
  faulty().blocks.splice(9);
  let requested = 0;
  faulty().tamper = ({ method, params }) => {
    if (method === 'getBlock' && params[0] === 10 && ++requested === 2) faulty().blocks.push(...good().blocks.slice(9));
    return undefined;
  };
  const { transfers, accountCursors } = await openTrusting(0n).scan(wholeWindow(good()), watchOurs);
  expect(transfers.map(({ amount }) => amount)).toEqual([12n, 12n]);
  expect(accountCursors).toMatchObject([{ account: ata(OURS), amount: 24n }]);
  expect(requested).toBeGreaterThan(1);
  expect(good().calls.get('getTransaction')).toBeGreaterThan(0);
});
