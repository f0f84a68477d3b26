// What a receipt proves: recorded mainnet transactions, and properties that hold for any logs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { addressBytes, requestAddress, tronAddress } from '@/lib/networks/families/tron/address';
import { movementsOf, succeeded, tokensOf, tokenTransfers, transfersOf, TRANSFER_TOPIC, type Moved } from './decode';
import { block as blockShape, header, info as infoShape, infos, type Info } from '@/lib/networks/families/tron/shapes';

const mainnet = networkSpec('live', 'tron', 'public')!;
const tokens = tokensOf(mainnet);
const USDT = addressBytes(mainnet.tokens.USDT!.contract);
const blockOf = (number: number) => ({ number, hash: 'aa'.repeat(32), parentHash: 'bb'.repeat(32), time: 1 });
const found = (info: Info, watched: readonly string[], { call = null as Moved['call'] } = {}) => {
  const moved: Moved[] = [
    { id: info.id, block: blockOf(info.blockNumber), movements: movementsOf(tokens, info), call },
  ];
  return transfersOf(moved, new Set(watched));
};
const credits = (info: Info, watched: readonly string[], call: Moved['call'] = null) =>
  found(info, watched, { call }).transfers;

/** Mainnet, 2025-02-03: 41.677389 USDT to an address that held none. */
const success = {
  id: '0130dfde9281a48378109039ef512229d5359fbee2a8adbb17ad73aebc67ea99',
  fee: 26420100,
  blockNumber: 69316562,
  blockTimeStamp: 1738601505000,
  contractResult: ['0000000000000000000000000000000000000000000000000000000000000000'],
  contract_address: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
  receipt: {
    energy_usage: 4475,
    energy_fee: 26420100,
    energy_usage_total: 130285,
    net_usage: 345,
    result: 'SUCCESS',
    energy_penalty_total: 100635,
  },
  log: [
    {
      address: 'a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      topics: [
        'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        '0000000000000000000000006e3b44b96104b26f84057974a1f0c9880f7c9b13',
        '000000000000000000000000ec20315a879c48f5e3a6a1c9826d5225f8b658b8',
      ],
      data: '00000000000000000000000000000000000000000000000000000000027bf24d',
    },
  ],
};
const failure = {
  id: `6f${'0'.repeat(62)}`,
  fee: 6428500,
  blockNumber: 78861101,
  blockTimeStamp: 1767246216000,
  contractResult: [''],
  contract_address: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
  receipt: { energy_fee: 6083500, energy_usage_total: 60835, net_fee: 345000, result: 'OUT_OF_ENERGY' },
  result: 'FAILED',
  resMessage: '4e6f7420656e6f75676820656e65726779',
};
/** Mainnet, a block without its transactions. */
const recordedBlock = {
  blockID: '0000000003fe266bf6b6d392f654dc2e5011601546ed04623d9fcc4e9d439a25',
  block_header: {
    raw_data: {
      number: 66987627,
      txTrieRoot: 'f8156964'.repeat(8),
      witness_address: '41e7860196ad5b5718c1d6326babab039b70b8c1cd',
      parentHash: '0000000003fe266a65d5194c947f6f7a059d4646c8e9a5293226bc7fdcfc775e',
      version: 34,
      timestamp: 1777445307000,
    },
    witness_signature: '55a2e100',
  },
};
const recorded = (text: unknown) => infoShape.parse(text)!;

describe('recorded answers of mainnet', () => {
  it('finds a USDT payment in full, although the contract returns nothing', () => {
    expect(credits(recorded(success), ['TXVj38D1XR3TPgSHTCZGC8wkLDAGqF1oqx'])).toEqual([
      {
        transactionHash: success.id,
        ordinal: 0,
        blockNumber: 69316562,
        blockHash: 'aa'.repeat(32),
        blockTime: 1,
        currency: 'USDT',
        contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        payer: 'TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre',
        recipient: 'TXVj38D1XR3TPgSHTCZGC8wkLDAGqF1oqx',
        amount: 41677389n,
        isPlain: false,
      },
    ]);
  });

  it('its payer ordered it only if they own a call of the token itself', () => {
    const [owner, contract] = [addressBytes('TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre'), USDT];
    const isPlain = (call: Moved['call']) =>
      credits(recorded(success), ['TXVj38D1XR3TPgSHTCZGC8wkLDAGqF1oqx'], call).map((one) => one.isPlain);
    expect(isPlain({ owner, contract })).toEqual([true]);
    expect(isPlain({ owner: '11'.repeat(20), contract })).toEqual([false]);
    expect(isPlain({ owner, contract: '11'.repeat(20) })).toEqual([false]);
  });

  it('finds the same transfer as outgoing of its sender', () => {
    const [payer, recipient] = ['TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre', 'TXVj38D1XR3TPgSHTCZGC8wkLDAGqF1oqx'];
    const { transfers, outgoing } = found(recorded(success), [payer, recipient]);
    expect(outgoing).toEqual(transfers);
    expect(found(recorded(success), [payer])).toEqual({ transfers: [], outgoing: transfers });
  });

  it('a block shows the callers of contracts, and no other transactions', () => {
    const call = (type: string, value: object) => ({ raw_data: { contract: [{ type, parameter: { value } }] } });
    const [owner_address, contract_address] = [`41${'aB'.repeat(20)}`, `41${USDT}`];
    const transactions = [
      call('TriggerSmartContract', { owner_address, contract_address, data: 'a9059cbb' }),
      call('TransferContract', { owner_address, to_address: owner_address, amount: 1 }),
      call('TriggerSmartContract', { owner_address: `a0${'ab'.repeat(20)}`, contract_address }),
      {},
    ].map((one, index) => ({ ...one, txID: `${index}`.repeat(64) }));
    const read = blockShape.parse({ ...recordedBlock, transactions });
    const noCalls = [null, null, null];
    expect(read?.transactions.map((one) => one.call)).toEqual([{ owner: 'ab'.repeat(20), contract: USDT }, ...noCalls]);
  });

  it('a failed transaction moves nothing, even with a log', () => {
    expect(tokenTransfers(recorded(failure))).toEqual([]);
    expect(tokenTransfers(recorded({ ...failure, log: success.log }))).toEqual([]);
    expect(tokenTransfers(recorded({ ...success, result: 'FAILED' }))).toEqual([]);
    const payer = 'TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre';
    expect(found(recorded({ ...success, result: 'FAILED' }), [payer]).outgoing).toEqual([]);
  });

  it('reads a header with its id, its parent and its time in seconds', () => {
    const read = {
      number: 66987627,
      hash: recordedBlock.blockID,
      parentHash: recordedBlock.block_header.raw_data.parentHash,
      time: 1777445307,
    };
    expect(header.parse(recordedBlock)).toEqual(read);
    expect(blockShape.parse(recordedBlock)).toMatchObject({ block: read, timestamp: 1777445307000, transactions: [] });
    expect(header.parse({})).toBeNull();
  });

  it.each([
    ['a number that a double cannot hold', { ...success, blockNumber: 2 ** 53 }],
    ['a number as text', { ...success, blockNumber: '69316562' }],
    ['an address of 21 bytes', { ...success, log: [{ ...success.log[0], address: success.contract_address }] }],
    ['a topic with 0x', { ...success, log: [{ ...success.log[0], topics: [`0x${'0'.repeat(64)}`] }] }],
    ['half a byte', { ...success, log: [{ ...success.log[0], data: '0' }] }],
    ['no id', { ...success, id: undefined }],
  ])('%s is not a receipt', (_what, answer) => {
    expect(infos.safeParse([answer]).success).toBe(false);
    expect(infos.safeParse([success]).success).toBe(true);
  });
});

describe('addresses', () => {
  it('are written in the usual form', () => {
    expect(requestAddress('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe('41a614f803b6fd780986a42c78ec9c7f77e6ded13c');
    expect(tronAddress('3487b63d30b5b2c87fb7ffa8bcfade38eaac1abe')).toBe('TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8');
  });

  it.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', '', 'T', '0x0'])(
    '%s is none',
    (text) => expect(() => addressBytes(text)).toThrow(/not a TRON address|Invalid checksum/),
  );

  it('survive a round trip', () => {
    fc.assert(fc.property(bytes(20), (hex) => addressBytes(tronAddress(hex)) === hex));
  });
});

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => Buffer.from(value).toString('hex'));
const word = (hex: string) => hex.padStart(64, '0');
/** Few addresses, so that they pay each other and themselves; the second token is a fake. */
const people = [1, 2, 3].map((digit) => `${digit}`.repeat(40));
const contracts = [...tokens.keys(), 'de'.repeat(20)];
const transfer = fc
  .record({
    address: fc.constantFrom(...contracts),
    from: fc.constantFrom(...people),
    to: fc.constantFrom(...people),
    amount: fc.bigInt({ min: 0n, max: 100n }),
  })
  .map(({ address, from, to, amount }) => ({
    address,
    topics: [TRANSFER_TOPIC, word(from), word(to)],
    data: word(amount.toString(16)),
  }));
const anything = fc.record({
  address: fc.oneof(fc.constantFrom(...contracts), bytes(20)),
  topics: fc.array(fc.oneof(fc.constant(TRANSFER_TOPIC), bytes(32)), { maxLength: 4 }),
  data: fc.oneof(bytes(32), bytes(31), bytes(64), fc.constant('')),
});
const someInfo = (logs: Info['log'], over: Partial<Info> = {}): Info => ({
  id: 'cc'.repeat(32),
  blockNumber: 5,
  blockTimeStamp: 1000,
  fee: 0,
  result: undefined,
  receipt: { result: 'SUCCESS' },
  log: logs,
  ...over,
});

describe('for any logs of a transaction', () => {
  it('the credit is the address’s gain, and the outgoing amount its loss', () => {
    fc.assert(
      fc.property(fc.array(transfer, { maxLength: 12 }), fc.constantFrom(...people), (logs, us) => {
        const { transfers, outgoing } = found(someInfo(logs), [tronAddress(us)]);
        for (const contract of tokens.keys()) {
          let gained = 0n;
          for (const { address, topics, data } of logs) {
            if (address !== contract) continue;
            if (topics[2] === word(us)) gained += BigInt(`0x${data}`);
            if (topics[1] === word(us)) gained -= BigInt(`0x${data}`);
          }
          const sumOf = (list: typeof transfers) =>
            list
              .filter((one) => one.contract === tokens.get(contract)!.contract)
              .reduce((total, { amount }) => total + amount, 0n);
          expect(sumOf(transfers)).toBe(gained > 0n ? gained : 0n);
          expect(sumOf(outgoing)).toBe(gained < 0n ? -gained : 0n);
        }
        expect(transfers.every(({ amount, recipient }) => amount > 0n && recipient === tronAddress(us))).toBe(true);
        expect(outgoing.every(({ amount, payer }) => amount > 0n && payer === tronAddress(us))).toBe(true);
      }),
    );
  });

  it('every ordinal is that of its own log, and none occurs twice', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(transfer, anything), { maxLength: 12 }), (logs) => {
        const { transfers, outgoing } = found(someInfo(logs), people.map(tronAddress));
        for (const side of [transfers, outgoing]) {
          expect(new Set(side.map(({ ordinal }) => ordinal)).size).toBe(side.length);
        }
        for (const { ordinal, contract, payer, recipient, amount } of [...transfers, ...outgoing]) {
          const log = logs[ordinal]!;
          expect(log.address).toBe(addressBytes(contract));
          expect([log.topics[0], log.topics.length, log.data.length]).toEqual([TRANSFER_TOPIC, 3, 64]);
          expect(log.topics[1]!.slice(24)).toBe(addressBytes(payer));
          expect(log.topics[2]!.slice(24)).toBe(addressBytes(recipient));
          expect(amount).toBeLessThanOrEqual(BigInt(`0x${log.data}`));
        }
      }),
    );
  });

  it('nothing moves unless the receipt says exactly SUCCESS without contradiction', () => {
    const result = fc.option(
      fc.oneof(fc.constantFrom('SUCCESS', 'SUCESS', 'success', 'REVERT', 'DEFAULT', ''), fc.string()),
      { nil: undefined },
    );
    fc.assert(
      fc.property(result, fc.option(fc.string(), { nil: undefined }), (word32, top) => {
        const info = someInfo(
          [{ address: USDT, topics: [TRANSFER_TOPIC, word(people[0]!), word(people[1]!)], data: word('5') }],
          { receipt: { result: word32 }, result: top },
        );
        const moves = movementsOf(tokens, info).length > 0;
        expect(moves).toBe(word32 === 'SUCCESS' && top === undefined);
        expect(succeeded(info)).toBe(moves);
      }),
    );
  });

  it('only the low twenty bytes of a topic are the address', () => {
    fc.assert(
      fc.property(bytes(12), bytes(12), (one, other) => {
        const topics = [TRANSFER_TOPIC, `${one}${people[0]}`, `${other}${people[1]}`];
        const info = someInfo([{ address: USDT, topics, data: word('7') }]);
        expect(credits(info, [tronAddress(people[1]!)])).toMatchObject([
          { payer: tronAddress(people[0]!), amount: 7n },
        ]);
      }),
    );
  });
});
