// The local TRON node as an unmodified tronweb uses it. tronweb rebuilds every transaction from its raw_data and
// rejects one with wrong bytes or a wrong id, so these are real.

import { TronWeb } from 'tronweb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import artifacts from '../../contracts/artifacts.json';
import { sha256 } from './address';
import { startTronNode, type TronNode } from './start';

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SPENT = { feeLimit: 50_000_000 };
type Wallet = { tronWeb: TronWeb; key: string; address: string };

let node: TronNode;
let payer: Wallet;
let other: Wallet;

const walletOf = (key: string): Wallet => ({
  key,
  tronWeb: new TronWeb({ fullHost: node.rpcUrl, privateKey: key }),
  address: String(TronWeb.address.fromPrivateKey(key)),
});
const newWallet = () => walletOf(TronWeb.createRandom().privateKey.slice(2));
const transferTo = (address: string, amount: number | string) => [
  { type: 'address', value: address },
  { type: 'uint256', value: amount },
];

beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  payer = walletOf(node.payer.privateKey);
  other = newWallet();
  await send(await payer.tronWeb.transactionBuilder.sendTrx(other.address, 500_000_000, payer.address));
}, 30_000);
afterAll(() => node.stop());

type Unsigned = Awaited<ReturnType<TronWeb['transactionBuilder']['sendTrx']>>;

/** Signs, sends and mines a block; returns the receipt from the full node's side. */
async function send(transaction: unknown, { tronWeb } = payer) {
  const signed = await tronWeb.trx.sign(transaction as Unsigned);
  const answer = await tronWeb.trx.sendRawTransaction(signed);
  expect([answer.result, answer.txid]).toEqual([true, signed.txID]);
  await node.mine(1);
  return tronWeb.trx.getUnconfirmedTransactionInfo(signed.txID);
}

/** The node's response to a rejected transaction. */
async function refusal(transaction: unknown, { tronWeb } = payer) {
  const answer = await tronWeb.trx.sendRawTransaction(transaction as never);
  return {
    code: answer.code,
    message: TronWeb.toUtf8(answer.message),
    taken: answer.result,
  };
}

const usdtTransfer = async (address: string, amount: number | string, options: object = SPENT, { tronWeb } = payer) =>
  (
    await tronWeb.transactionBuilder.triggerSmartContract(
      USDT,
      'transfer(address,uint256)',
      options,
      transferTo(address, amount),
    )
  ).transaction;

const usdtOf = async (address: string): Promise<bigint> => {
  const contract = await payer.tronWeb.contract().at(USDT);
  return BigInt((await contract.balanceOf!(address).call()) as string);
};

describe('transactions', () => {
  test('sending TRX to a new address activates it and costs 1.1 TRX; to an active one it uses free bandwidth', async () => {
    const { address } = newWallet();
    const { transactionBuilder, trx } = other.tronWeb;
    expect(await trx.getAccount(address)).toEqual({});
    const activating = await send(await transactionBuilder.sendTrx(address, 5_000_000, other.address), other);
    expect([activating.fee, activating.receipt]).toEqual([1_100_000, { net_fee: 100_000 }]);
    expect(activating).not.toHaveProperty('log');
    expect(activating.contractResult).toEqual(['']);
    const second = await send(await transactionBuilder.sendTrx(address, 1, other.address), other);
    expect(second).not.toHaveProperty('fee');
    expect(Object.keys(second.receipt)).toEqual(['net_usage']);
    expect(await trx.getUnconfirmedBalance(address)).toBe(5_000_001);
  });

  test('a USDT transfer that the node built moves the token, returns zeros and logs one transfer', async () => {
    const { address } = newWallet();
    const receipt = await send(await usdtTransfer(address, 12_340_000));
    const words = [TronWeb.address.toHex(payer.address), TronWeb.address.toHex(address)];
    expect(receipt.log).toEqual([
      {
        address: TronWeb.address.toHex(USDT).slice(2),
        topics: [
          'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          ...words.map((word) => word.slice(2).padStart(64, '0')),
        ],
        data: (12_340_000).toString(16).padStart(64, '0'),
      },
    ]);
    expect([receipt.contractResult, receipt.receipt.result]).toEqual([['0'.repeat(64)], 'SUCCESS']);
    expect(receipt).not.toHaveProperty('result');
    expect(await usdtOf(address)).toBe(12_340_000n);
  });

  test('accepts a transfer that tronweb builds by itself', async () => {
    const { address } = newWallet();
    const receipt = await send(await usdtTransfer(address, 7, { ...SPENT, txLocal: true }));
    expect([receipt.receipt.result, await usdtOf(address)]).toEqual(['SUCCESS', 7n]);
  });

  test('the same payment made at two different times is two transactions', async () => {
    const { address } = newWallet();
    await send(await usdtTransfer(address, 5));
    await send(await usdtTransfer(address, 5));
    expect(await usdtOf(address)).toBe(10n);
  });

  test('a memo and a longer validity can be added; the memo is stored and costs one TRX', async () => {
    const { transactionBuilder, trx } = payer.tronWeb;
    const plain = await transactionBuilder.sendTrx(other.address, 1000, payer.address);
    const noted = await transactionBuilder.addUpdateData(plain, 'order-42', 'utf8');
    const receipt = await send(await transactionBuilder.extendExpiration(noted, 600));
    expect(receipt.fee).toBeGreaterThanOrEqual(1_000_000);
    const kept = await trx.getTransaction(receipt.id);
    expect(TronWeb.toUtf8((kept.raw_data as { data: string }).data)).toBe('order-42');
  });

  test('the owner can be recovered from the node’s response, and the bytes hash to the id', async () => {
    const { id } = await send(await usdtTransfer(other.address, 3));
    const shown = await payer.tronWeb.trx.getTransaction(id);
    expect(payer.tronWeb.trx.ecRecover(shown as never)).toBe(payer.address);
    expect(sha256(Buffer.from(shown.raw_data_hex, 'hex')).toString('hex')).toBe(id);
    expect(shown.ret).toEqual([{ contractRet: 'SUCCESS' }]);
  });

  test('accepts the bytes of a whole transaction as well as its JSON', async () => {
    const { transactionBuilder, trx } = payer.tronWeb;
    const signed = await trx.sign(await transactionBuilder.sendTrx(other.address, 3, payer.address));
    // Field 1 is raw_data and field 2 a signature, each with its length.
    const field = (number: number, bytes: Buffer) => {
      const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
      return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
    };
    const [raw, signature] = [signed.raw_data_hex, signed.signature[0] ?? ''].map((hex) => Buffer.from(hex, 'hex'));
    const answer = await trx.sendHexTransaction(Buffer.concat([field(1, raw!), field(2, signature!)]).toString('hex'));
    expect([answer.result, answer.txid]).toEqual([true, signed.txID]);
    await node.mine(1);
    expect((await trx.getUnconfirmedTransactionInfo(signed.txID)).id).toBe(signed.txID);
  });

  test('a contract can be deployed, has the address that its transaction reports, and answers calls', async () => {
    const transaction = await payer.tronWeb.transactionBuilder.createSmartContract(
      {
        abi: JSON.stringify([{ type: 'constructor', stateMutability: 'nonpayable', inputs: STRINGS }]),
        bytecode: artifacts.LegacyStable.bytecode.slice(2),
        parameters: ['Other Dollar', 'OTHR', 6, payer.address],
        feeLimit: 1_000_000_000,
        name: 'Other',
        userFeePercentage: 100,
        originEnergyLimit: 10_000_000,
      },
      payer.address,
    );
    const receipt = await send(transaction);
    expect([receipt.receipt.result, receipt.contract_address]).toEqual(['SUCCESS', transaction.contract_address]);
    const symbol = await payer.tronWeb.transactionBuilder.triggerConstantContract(
      TronWeb.address.fromHex(transaction.contract_address),
      'symbol()',
    );
    expect(Buffer.from(symbol.constant_result[0] as string, 'hex').toString()).toContain('OTHR');
  });
});

describe('refusals', () => {
  const small = (options: object = {}) =>
    payer.tronWeb.transactionBuilder.sendTrx(other.address, 7, payer.address, options);

  test('a foreign or missing signature is a SIGERROR that names the signer', async () => {
    const transaction = await small();
    const signed = await other.tronWeb.trx.multiSign(transaction, other.key);
    expect(await refusal(signed)).toMatchObject({ code: 'SIGERROR', message: expect.stringContaining(other.address) });
    expect((await refusal({ ...transaction, signature: ['00'.repeat(65)] })).code).toBe('SIGERROR');
  });

  test('a changed amount is a SIGERROR, whatever raw_data_hex contains', async () => {
    const signed = await payer.tronWeb.trx.sign(await small());
    (signed.raw_data.contract[0]!.parameter.value as { amount: number }).amount = 999;
    expect((await refusal(signed)).code).toBe('SIGERROR');
  });

  test('the same transaction again is a DUP_TRANSACTION_ERROR, before and after it is in a block', async () => {
    const signed = await payer.tronWeb.trx.sign(await small());
    expect((await payer.tronWeb.trx.sendRawTransaction(signed)).result).toBe(true);
    expect((await refusal(signed)).code).toBe('DUP_TRANSACTION_ERROR');
    await node.mine(1);
    expect((await refusal(signed)).code).toBe('DUP_TRANSACTION_ERROR');
  });

  test('an expired one is a TRANSACTION_EXPIRATION_ERROR, and so is one valid for more than a day', async () => {
    const block = await payer.tronWeb.trx.getCurrentRefBlockParams();
    for (const expiration of [block.timestamp - 1000, block.timestamp + 86_500_000]) {
      const signed = await payer.tronWeb.trx.sign(await small({ blockHeader: { ...block, expiration } }));
      expect((await refusal(signed)).code).toBe('TRANSACTION_EXPIRATION_ERROR');
    }
  });

  test('one that refers to a block of another chain is a TAPOS_ERROR', async () => {
    const block = await payer.tronWeb.trx.getCurrentRefBlockParams();
    const signed = await payer.tronWeb.trx.sign(
      await small({ blockHeader: { ...block, ref_block_hash: '00'.repeat(8) } }),
    );
    expect((await refusal(signed)).code).toBe('TAPOS_ERROR');
  });

  test('a transfer above the balance, to oneself, or from an unknown account is a CONTRACT_VALIDATE_ERROR', async () => {
    const { transactionBuilder, trx } = payer.tronWeb;
    const stranger = newWallet();
    const cases: [Unsigned, Wallet][] = [
      [await transactionBuilder.sendTrx(other.address, 10 ** 15, payer.address), payer],
      [await stranger.tronWeb.transactionBuilder.sendTrx(other.address, 1, stranger.address), stranger],
    ];
    for (const [transaction, from] of cases) {
      const signed = await trx.multiSign(transaction, from.key);
      expect((await refusal(signed, from)).code).toBe('CONTRACT_VALIDATE_ERROR');
    }
    await expect(transactionBuilder.sendTrx(payer.address, 1, payer.address)).rejects.toThrow('same account');
  });

  test('the builder rejects a call of a missing contract as java-tron does', async () => {
    const build = payer.tronWeb.transactionBuilder.triggerSmartContract(
      other.address,
      'transfer(address,uint256)',
      SPENT,
      [...transferTo(payer.address, 1)],
    );
    await expect(build).rejects.toThrow(/No contract or not a valid smart contract/);
  });
});

describe('reading', () => {
  test('contract().at finds the tokens with their symbols and decimals', async () => {
    for (const [currency, { contract, decimals }] of Object.entries(node.spec.tokens)) {
      const found = await payer.tronWeb.contract().at(contract);
      expect([await found.symbol!().call(), Number(await found.decimals!().call())]).toEqual([currency, decimals]);
    }
  });

  test('a constant call answers without a transaction, and reports the energy that a transfer would take', async () => {
    const { transactionBuilder } = payer.tronWeb;
    const { address } = newWallet();
    const ask = (name: string, parameters: object[]) =>
      transactionBuilder.triggerConstantContract(USDT, name, {}, parameters as never, payer.address);
    const balance = await ask('balanceOf(address)', [{ type: 'address', value: payer.address }]);
    expect(BigInt(`0x${balance.constant_result[0]}`)).toBe(await usdtOf(payer.address));
    const transfer = await ask('transfer(address,uint256)', transferTo(address, 1));
    const estimate = await transactionBuilder.estimateEnergy(
      USDT,
      'transfer(address,uint256)',
      {},
      transferTo(address, 1),
      payer.address,
    );
    expect(estimate.energy_required).toBe(transfer.energy_used);
    expect(await usdtOf(address)).toBe(0n);
    await expect(ask('transfer(address,uint256)', transferTo(address, '9'.repeat(30)))).rejects.toThrow(
      'REVERT opcode',
    );
  });

  test('blocks by head, number and id agree, and the confirmed head is nineteen behind', async () => {
    const { trx } = payer.tronWeb;
    const head = await trx.getCurrentBlock();
    const number = head.block_header.raw_data.number;
    expect(await trx.getBlockByNumber(number)).toEqual(head);
    expect((await trx.getBlock(head.blockID)).blockID).toBe(head.blockID);
    expect((await trx.getConfirmedCurrentBlock()).block_header.raw_data.number).toBe(number - 19);
  });

  test('the node is connected and reports its prices', async () => {
    const { trx } = payer.tronWeb;
    const parameters = await trx.getChainParameters();
    expect(parameters.find(({ key }) => key === 'getEnergyFee')?.value).toBe(100);
    expect([await trx.getEnergyPrices(), await trx.getBandwidthPrices()]).toEqual(['0:100', '0:10,1:1000']);
    expect(await payer.tronWeb.isConnected()).toMatchObject({ fullNode: true, solidityNode: true });
  });
});

const STRINGS = ['string', 'string', 'uint8', 'address'].map((type, n) => ({ name: `a${n}`, type }));
