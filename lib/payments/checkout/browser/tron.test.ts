// Paying with a TRON wallet: its requests and responses.

import { describe, expect, test } from 'vitest';
import { PaymentFailed, type BrowserPayment } from './payment';
import { payByTron, type TronProvider, type TronWeb } from './tron';

const payment: BrowserPayment = {
  family: 'tron',
  sessionId: 'cs_live_1',
  network: 'tron',
  currency: 'USDT',
  chain: '0x2b6653dc',
  chainName: 'TRON',
  token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  decimals: 6,
  recipient: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  units: '12340000',
  amount: '12.34',
  coin: { symbol: 'TRX', name: 'TRX', decimals: 6 },
  publicUrls: [],
  explorer: null,
};
const OWN = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
const HASH = 'ab'.repeat(32);

type World = { tokens?: bigint; sun?: number; energy?: number; chain?: string; sign?: () => unknown; sent?: object };

function wallet(world: World = {}) {
  const { tokens = 10n ** 9n, sun = 100_000_000, energy = 0, chain = payment.chain, sent } = world;
  const built: unknown[][] = [];
  const tronWeb: TronWeb = {
    defaultAddress: { base58: OWN },
    transactionBuilder: {
      triggerConstantContract: async (_token, method) =>
        method.startsWith('balanceOf')
          ? { constant_result: [tokens.toString(16).padStart(64, '0')] }
          : { energy_used: 130_285 },
      triggerSmartContract: async (...call) => {
        built.push(call);
        return { transaction: { txID: HASH } };
      },
    },
    trx: {
      getBalance: async () => sun,
      getAccountResources: async () => ({ EnergyLimit: energy, freeNetLimit: 600 }),
      sign: async (given) => world.sign?.() ?? given,
      sendRawTransaction: async () => sent ?? { result: true, txid: HASH },
    },
  };
  const provider: TronProvider & { tronWeb: TronWeb | false } = {
    tronWeb: false,
    request: async ({ method }) => {
      if (method === 'eth_chainId') return chain;
      if (method === 'eth_requestAccounts') provider.tronWeb = tronWeb;
      if (method === 'wallet_switchEthereumChain') throw Object.assign(new Error(), { code: 4200 });
      return [OWN];
    },
  };
  return { provider, built };
}

const fault = async (world: World) => {
  const { provider, built } = wallet(world);
  const error = await payByTron(provider)(payment, () => {}).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(PaymentFailed);
  return { fault: (error as PaymentFailed).fault, built };
};

test('a payment is one transfer of the exact amount, with a bound on what it may burn', async () => {
  const { provider, built } = wallet();
  expect(await payByTron(provider)(payment, () => {})).toBe(HASH);
  const parameters = [
    { type: 'address', value: payment.recipient },
    { type: 'uint256', value: '12340000' },
  ];
  expect(built).toEqual([[payment.token, 'transfer(address,uint256)', { feeLimit: 50_000_000 }, parameters, OWN]]);
});

describe('nothing is built', () => {
  test('for too few tokens', async () => {
    expect(await fault({ tokens: 5_000_000n })).toEqual({ fault: { why: 'no_funds', balance: '5.00' }, built: [] });
  });

  test('for too little coin, unless the account has its own energy', async () => {
    expect(await fault({ sun: 13_028_499 })).toEqual({ fault: { why: 'no_coin' }, built: [] });
    const { provider } = wallet({ sun: 0, energy: 130_285 });
    expect(await payByTron(provider)(payment, () => {})).toBe(HASH);
  });

  test('when the wallet stays on another chain', async () => {
    expect(await fault({ chain: '0xcd8690dc' })).toEqual({ fault: { why: 'wrong_network' }, built: [] });
  });

  test('when an older wallet returns its rejection code for the connection', async () => {
    const request = async ({ method }: { method: string }) => {
      if (method === 'tron_requestAccounts') return { code: 4001 };
      throw Object.assign(new Error('unsupported'), { code: 4200 });
    };
    await expect(payByTron({ request })(payment, () => {})).rejects.toMatchObject({ fault: { why: 'rejected' } });
  });
});

test('a rejected signature sends nothing; a transaction that a node rejected may still be sent', async () => {
  const decline = () => {
    throw 'Confirmation declined by user';
  };
  expect((await fault({ sign: decline })).fault).toEqual({ why: 'rejected' });
  expect((await fault({ sent: { result: false, code: 'TAPOS_ERROR' } })).fault).toEqual({ why: 'unclear' });
});
