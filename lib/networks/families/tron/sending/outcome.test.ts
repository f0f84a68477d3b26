// Whether a payment lapsed, as reported by one URL that serves several nodes, some of which lag.

import { expect, it } from 'vitest';
import type { SentAttempt } from '@/lib/networks/sending/send';
import { silentLog } from '@/testing/chain-clock';
import {
  localTron,
  TRON_OURS,
  TRON_PAID_IN,
  TRON_PAYER,
  TRON_T0,
  tronUsdt,
  useTronPair,
} from '@/testing/tron/tron-pair';
import { openTronSender } from './send';
import { LASTING_MS, LATER_BITS } from './write-draft';

const LOOKUPS = ['gettransactioninfobyid', 'gettransactionbyid', 'gettransactionfrompending'];
const pair = useTronPair();

const outcome = (attempt: SentAttempt) =>
  openTronSender({
    spec: localTron,
    urls: [pair.faulty().url],
    needed: 1,
    clock: pair.clock,
    log: silentLog(),
    timeoutMs: 3000,
  }).outcome(attempt);

/** Signed at the start of the chain, expired long before its newest solid block. */
const attemptOf = (hash: string): SentAttempt => ({
  hash,
  validity: { kind: 'time', expiresAt: TRON_T0 + 60 },
  from: TRON_PAYER,
  order: { intentId: 'x', currency: 'USDT', contract: tronUsdt, to: TRON_OURS, amount: 12n },
});
const paid = () => attemptOf(pair.faulty().blocks[TRON_PAID_IN]!.transactions[2]!.id);
const neverSent = attemptOf('ab'.repeat(32));

const notFound = () => void (pair.faulty().tamper = ({ api }) => (LOOKUPS.includes(api) ? {} : undefined));

it('does not report a payment in a solid block as lapsed when a node that lags misses it', async () => {
  expect(await outcome(paid())).toMatchObject({ kind: 'landed' });
  notFound();
  expect(await outcome(paid())).toEqual({ kind: 'seen', hash: paid().hash, confirmations: 1 });
});

it('reports a payment that no solid block holds as lapsed', async () => {
  expect(await outcome(neverSent)).toMatchObject({ kind: 'lapsed', finalized: TRON_T0 + 60 * 3 });
});

it.each([403, 404, 500])(
  'reports a payment that no block holds when the node refuses its pool with %i',
  async (status) => {
    const waiting = { ...neverSent, validity: { kind: 'time', expiresAt: TRON_T0 + 60 * 3600 } } as const;
    const refusePool = (answer: number) => {
      pair.faulty().hijack = (request, response) => {
        if (!request.url?.endsWith('/gettransactionfrompending')) return false;
        response.writeHead(answer).end('');
        return true;
      };
    };
    refusePool(status);
    expect(await outcome(waiting)).toEqual({ kind: 'waiting' });
    expect(await outcome(neverSent)).toMatchObject({ kind: 'lapsed' });
    // A node that only limits its rate is asked again.
    refusePool(429);
    await expect(outcome(waiting)).rejects.toMatchObject({ throttled: true });
  },
);

it('does not report a payment as lapsed while blocks that could hold it are unreadable', async () => {
  pair.faulty().tamper = ({ side, api, body }) => {
    if (LOOKUPS.includes(api)) return {};
    // Only the newest block comes from a node that does not lag.
    const isLate = side === 'walletsolidity' && (Number(body.num) > 8 || Number(body.endNum) > 8);
    return isLate ? {} : undefined;
  };
  await expect(outcome(neverSent)).rejects.toMatchObject({ fault: 'unavailable' });
});

it('reports pruned if the node’s oldest block is newer than the payment', async () => {
  pair.faulty().tamper = ({ api, body }) => {
    if (LOOKUPS.includes(api)) return {};
    const number = Number(body.num ?? body.id_or_num ?? NaN);
    return number > 0 && number < 8 ? {} : undefined;
  };
  expect(await outcome(paid())).toMatchObject({ kind: 'pruned' });
});

it('reports a payment as lapsed if the node’s oldest block is from just before it', async () => {
  for (const block of pair.faulty().blocks.slice(20)) block.time += 700_000;
  const validity = { kind: 'time', expiresAt: TRON_T0 + 780 } as const;
  pair.faulty().tamper = ({ api, body }) => {
    if (LOOKUPS.includes(api)) return {};
    const number = Number(body.num ?? body.id_or_num ?? NaN);
    return number > 0 && number < 19 ? {} : undefined;
  };
  expect(await outcome({ ...neverSent, validity })).toMatchObject({ kind: 'lapsed' });
});

it('does not report a payment as lapsed if the blocks do not form one chain', async () => {
  pair.on('getblockbylimitnext', (answer) => {
    (answer as unknown as { block: unknown[] }).block.splice(1, 1);
    return answer;
  });
  await expect(outcome(neverSent)).rejects.toMatchObject({ fault: 'contradiction' });
});

it('reads all blocks since the signature if the draft was based on a block that did not exist yet', async () => {
  notFound();
  for (const block of pair.faulty().blocks.slice(TRON_PAID_IN + 1)) block.time += 500_000;
  const validity = { kind: 'time', expiresAt: TRON_T0 + 530 } as const;
  expect(await outcome({ ...paid(), validity })).toMatchObject({ kind: 'lapsed' });
  expect(await outcome({ ...paid(), validity, signedAt: TRON_T0 + 10 })).toMatchObject({ kind: 'seen' });
});

it('reads every block of the life of a lasting draft, to prove that it lapsed or to find it', async () => {
  const node = pair.faulty();
  notFound();
  const life = Math.ceil((LASTING_MS + 2 ** LATER_BITS) / 1000);
  const blocks = Math.ceil(life / 3);
  while (node.blocks.length < blocks) node.mine();
  const late = node.mine([{ result: null }]).transactions[0]!.id;
  for (let more = 0; more < 100; more++) node.mine();
  const validity = { kind: 'time', expiresAt: TRON_T0 + 60 + life } as const;
  const lasting = { ...neverSent, validity, signedAt: TRON_T0 + 60 };
  expect(await outcome(lasting)).toMatchObject({ kind: 'lapsed' });
  expect(await outcome({ ...lasting, hash: late })).toMatchObject({ kind: 'seen' });
}, 60_000);
