// Every fault of a Solana endpoint that its own responses reveal: the case, the required fault, and how a pair's faulty
// node produces it.

import type { Result, SolanaPair } from './solana-faulty-pair';
import { fakeKey, TOKEN_2022, TOKEN_PROGRAM } from './solana-ledger';
import { ata, OURS, usdt } from './solana-scene';

type Kind = readonly [kind: string, fault: string, spoil: () => unknown];

export const refusal = (code: number, message: string) => ({ error: { code, message } });

export function solanaFaults({ amount, faulty, good, on, answer, relay }: SolanaPair): readonly Kind[] {
  /** Changes the amount that the account is reported to hold. */
  const holding = (account: Result | null, held: bigint) => {
    if (!account) return account;
    const data = Buffer.from(account.data[0], 'base64');
    data.writeBigUInt64LE(held, 64);
    return { ...account, data: [data.toString('base64'), 'base64'] };
  };
  const isPayment = (result: Result) => result.slot === 5;
  const whenPayment = (change: (payment: Result) => unknown) =>
    on('getTransaction', (result) => (isPayment(result) ? change(result) : undefined));
  const onlyAccounts = (change: (answer: Result) => unknown) =>
    on('getMultipleAccounts', (result, params) =>
      (params[0] as string[]).includes(ata(OURS)) ? change(result) : undefined,
    );

  const strangersSignature = () => good().blocks[4]!.transactions[0]!.signature;
  const raised = ({ meta }: Result) =>
    meta.postTokenBalances.map((one) =>
      one.owner === OURS ? { ...one, uiTokenAmount: { ...one.uiTokenAmount, amount: `${1_000_000n + amount}` } } : one,
    );

  return [
    ['dead', 'unavailable', () => (faulty().hijack = (request) => (request.socket.destroy(), true))],
    ['silent', 'unavailable', () => (faulty().hijack = () => true)],
    ['answering 500', 'unavailable', () => answer(500, '<html>oops</html>')],
    ['answering 429', 'unavailable', () => answer(429, '', { 'retry-after': '7' })],
    ['answering 403 with a page', 'unavailable', () => answer(403, '<html>forbidden</html>')],
    ['redirecting', 'unavailable', () => answer(302, '', { location: good().url })],
    ['answering HTML with 200', 'unavailable', () => answer(200, '<!doctype html><title>welcome</title>')],
    ['answering null', 'unavailable', () => answer(200, 'null')],
    ['answering the wrong id', 'unavailable', () => relay((text) => text.replace(/"id":\d+/, '"id":999999'))],
    ['answering without end', 'unavailable', () => answer(200, 'x'.repeat(11 * 1024 * 1024))],
    ['lagging below the window', 'unavailable', () => faulty().blocks.splice(8)],
    ['lagging in finality', 'unavailable', () => (faulty().finalDepth = 3)],
    [
      'lagging in accounts behind its own blocks',
      'unavailable',
      () => onlyAccounts((told) => ({ ...told, context: { slot: 9 } })),
    ],
    [
      'not there yet',
      'unavailable',
      () => onlyAccounts(() => refusal(-32016, 'Minimum context slot has not been reached')),
    ],
    ['lagging in its lists', 'unavailable', () => (faulty().listLag = 4)],
    ['listing nothing', 'unavailable', () => on('getSignaturesForAddress', () => [])],
    ['listing all but the newest payment', 'unavailable', () => on('getSignaturesForAddress', (list) => list.slice(1))],
    [
      'listing all but the oldest payment',
      'contradiction',
      () => on('getSignaturesForAddress', (list) => list.slice(0, -1)),
    ],
    ['listing backwards', 'contradiction', () => on('getSignaturesForAddress', (list) => list.toReversed())],
    ['listing one twice', 'contradiction', () => on('getSignaturesForAddress', (list) => [...list, ...list])],
    [
      'listing another account’s transactions',
      'unavailable',
      () =>
        (faulty().tamper = (call, result) =>
          call.method === 'getSignaturesForAddress'
            ? (result as Result[]).map((one) => ({ ...one, signature: strangersSignature(), slot: 4 })).slice(0, 1)
            : undefined),
    ],
    [
      'listing a payment as failed',
      'contradiction',
      () =>
        on('getSignaturesForAddress', (list) =>
          list.map((one) => (isPayment(one) ? { ...one, err: 'AccountInUse' } : one)),
        ),
    ],
    [
      'listing a failed transaction as successful',
      'contradiction',
      () => on('getSignaturesForAddress', (list) => list.map((one) => ({ ...one, err: null }))),
    ],
    ['without the transaction that it lists', 'unavailable', () => whenPayment(() => null)],
    [
      "giving another transaction's",
      'contradiction',
      () =>
        whenPayment((payment) => ({
          ...payment,
          transaction: {
            ...(payment as never as { transaction: object }).transaction,
            signatures: [strangersSignature()],
          },
        })),
    ],
    ['giving it in another slot', 'contradiction', () => whenPayment((payment) => ({ ...payment, slot: 6 }))],
    [
      'giving it as failed',
      'contradiction',
      () => whenPayment((payment) => ({ ...payment, meta: { ...payment.meta, err: {} } })),
    ],
    [
      'giving it without balances',
      'contradiction',
      () =>
        whenPayment((payment) => ({
          ...payment,
          meta: { ...payment.meta, preTokenBalances: [], postTokenBalances: [] },
        })),
    ],
    [
      'inventing a higher amount',
      'contradiction',
      () => whenPayment((payment) => ({ ...payment, meta: { ...payment.meta, postTokenBalances: raised(payment) } })),
    ],
    [
      'inventing a higher amount with a matching account',
      'contradiction',
      () =>
        (faulty().tamper = (call, result) => {
          const given = structuredClone(result) as Result;
          if (call.method === 'getTransaction')
            return { ...given, meta: { ...given.meta, postTokenBalances: raised(given) } };
          const ours = call.method === 'getMultipleAccounts' && given.value.length === 2;
          return ours ? { ...given, value: given.value.map((one) => holding(one, 1_000_000n + amount)) } : undefined;
        }),
    ],
    [
      'reporting an account’s balance twice',
      'contradiction',
      () =>
        whenPayment((payment) => ({
          ...payment,
          meta: {
            ...payment.meta,
            postTokenBalances: [...payment.meta.postTokenBalances, ...payment.meta.postTokenBalances],
          },
        })),
    ],
    [
      'reporting balances of an account that does not exist',
      'contradiction',
      () =>
        whenPayment((payment) => ({
          ...payment,
          meta: {
            ...payment.meta,
            postTokenBalances: payment.meta.postTokenBalances.map((one) => ({ ...one, accountIndex: 77 })),
          },
        })),
    ],
    [
      'giving amounts that are not numbers',
      'unavailable',
      () =>
        whenPayment((payment) => ({
          ...payment,
          meta: {
            ...payment.meta,
            postTokenBalances: [
              { ...payment.meta.postTokenBalances[0], uiTokenAmount: { amount: '1e9', decimals: 6 } },
            ],
          },
        })),
    ],
    [
      'giving a transaction without its meta',
      'unavailable',
      () => whenPayment((payment) => ({ ...payment, meta: null })),
    ],
    [
      'refusing newer transaction versions',
      'unavailable',
      () => whenPayment(() => refusal(-32015, 'Transaction version (1) is not supported')),
    ],
    [
      'lying about the account’s balance',
      'unavailable',
      () => onlyAccounts((told) => ({ ...told, value: told.value.map((one) => holding(one, 9_999_999n)) })),
    ],
    [
      'answering for fewer accounts',
      'contradiction',
      () => onlyAccounts((told) => ({ ...told, value: told.value.slice(1) })),
    ],
    [
      'truncating accounts',
      'contradiction',
      () =>
        onlyAccounts((told) => ({
          ...told,
          value: told.value.map((one) => one && { ...one, data: ['AAAA', 'base64'] }),
        })),
    ],
    [
      'giving accounts in another encoding',
      'unavailable',
      () =>
        onlyAccounts((told) => ({ ...told, value: told.value.map((one) => one && { ...one, data: { parsed: {} } }) })),
    ],
    ['refusing methods', 'unavailable', () => on('getSignaturesForAddress', () => refusal(-32601, 'Method not found'))],
    [
      'throttling by JSON-RPC error',
      'unavailable',
      () => on('getTransaction', () => refusal(429, 'Too many requests for a specific RPC call')),
    ],
    [
      'without the block of a payment',
      'unavailable',
      () => on('getBlock', (_, [slot]) => (slot === 5 ? refusal(-32007, 'Slot 5 was skipped') : undefined)),
    ],
    [
      'with a different block before the window',
      'reorganised',
      () => on('getBlock', (block, [slot]) => (slot === 1 ? { ...block, blockhash: fakeKey('another') } : undefined)),
    ],
    ['without times', 'unavailable', () => on('getBlock', (block) => ({ ...block, blockTime: null }))],
    [
      'giving a later block',
      'contradiction',
      () => on('getBlock', (block, [slot]) => (slot === 10 ? { ...block, parentSlot: 12 } : undefined)),
    ],
    ['on another chain', 'wrong_chain', () => (faulty().genesis = fakeKey('another genesis'))],
    ['with other decimals', 'wrong_chain', () => faulty().mints.set(usdt, { decimals: 9, program: TOKEN_PROGRAM })],
    [
      'with the token under Token-2022',
      'wrong_chain',
      () => faulty().mints.set(usdt, { decimals: 6, program: TOKEN_2022 }),
    ],
    ['without the token', 'wrong_chain', () => faulty().mints.delete(usdt)],
  ];
}
