// Paying with EVM wallets of every known behaviour.

import { Interface } from 'ethers';
import { describe, expect, test } from 'vitest';
import { payByEvm } from './evm';
import { PaymentFailed, refusal, unitsToText, type BrowserPayment } from './payment';

const payment: BrowserPayment = {
  family: 'evm',
  sessionId: 'cs_live_1',
  network: 'bsc',
  currency: 'USDT',
  chain: '0x38',
  chainName: 'BNB Smart Chain',
  token: '0x55d398326f99059ff775485246999027b3197955',
  decimals: 18,
  recipient: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  units: '12340000000000000000',
  amount: '12.34',
  coin: { symbol: 'BNB', name: 'BNB', decimals: 18 },
  publicUrls: ['https://bsc-dataseed.bnbchain.org'],
  explorer: 'https://bscscan.com',
};
const OWN = '0x00000000000000000000000000000000000000aa';
const HASH = `0x${'ab'.repeat(32)}`;
const failure = (code: number, message = '') => Object.assign(new Error(message), { code });
const hex = (value: bigint) => `0x${value.toString(16)}`;

type Call = { readonly method: string; readonly params?: readonly unknown[] };
type Responses = Record<string, (params: readonly unknown[]) => unknown>;

/** A wallet with enough of everything on the right chain, by default. */
function wallet(over: Responses = {}) {
  const calls: Call[] = [];
  const answers: Responses = {
    eth_requestAccounts: () => [OWN],
    eth_chainId: () => '0x38',
    eth_call: () => hex(10n ** 20n),
    eth_getBalance: () => hex(10n ** 18n),
    eth_estimateGas: () => hex(60_000n),
    eth_gasPrice: () => hex(10n ** 9n),
    eth_sendTransaction: () => HASH,
    ...over,
  };
  const request = async (call: Call) => {
    calls.push(call);
    return answers[call.method]?.(call.params ?? []);
  };
  return { provider: { request }, methods: () => calls.map(({ method }) => method), calls };
}

const fails = async (over: Responses, requested: BrowserPayment = payment) => {
  const { provider, methods } = wallet(over);
  const error = await payByEvm(provider)(requested, () => {}).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(PaymentFailed);
  return { fault: (error as PaymentFailed).fault, methods: methods() };
};

describe('a payment by an EVM wallet', () => {
  test('is one transfer of the exact amount to the address, from the connected account', async () => {
    const { provider, calls } = wallet();
    const steps: string[] = [];
    expect(await payByEvm(provider)(payment, (step) => steps.push(step))).toBe(HASH);
    const [sent] = calls.find(({ method }) => method === 'eth_sendTransaction')!.params as { data: string }[];
    expect(sent).toEqual({
      from: OWN,
      to: payment.token,
      value: '0x0',
      data: expect.stringMatching(/^0x[0-9a-f]{136}$/),
      chainId: payment.chain,
    });
    const [to, value] = new Interface(['function transfer(address,uint256)']).decodeFunctionData(
      'transfer',
      sent!.data,
    );
    expect([to, value]).toEqual([payment.recipient, 12_340_000_000_000_000_000n]);
    expect(steps).toEqual(['connect', 'switch', 'preparing', 'confirm']);
  });

  test('is made on its own chain: a wallet on another chain is switched first, and an unknown chain is added', async () => {
    let chain = '0x1';
    const { provider, calls } = wallet({
      eth_chainId: () => chain,
      wallet_switchEthereumChain: () => {
        throw failure(4902);
      },
      wallet_addEthereumChain: ([added]) => void (chain = (added as { chainId: string }).chainId),
    });
    expect(await payByEvm(provider)(payment, () => {})).toBe(HASH);
    expect(calls.find(({ method }) => method === 'wallet_addEthereumChain')?.params).toEqual([
      {
        chainId: '0x38',
        chainName: 'BNB Smart Chain',
        nativeCurrency: payment.coin,
        rpcUrls: ['https://bsc-dataseed.bnbchain.org'],
        blockExplorerUrls: ['https://bscscan.com'],
      },
    ]);
  });
});

describe('nothing is sent', () => {
  const cases: [string, Responses, object][] = [
    [
      'when the connection is declined',
      { eth_requestAccounts: () => Promise.reject(failure(4001)) },
      { why: 'rejected' },
    ],
    [
      'when the wallet waits for another answer',
      { eth_requestAccounts: () => Promise.reject(failure(-32002)) },
      { why: 'busy' },
    ],
    ['when the wallet gives no account', { eth_requestAccounts: () => [] }, { why: 'locked' }],
    [
      'when the account has too few tokens',
      { eth_call: () => hex(3n * 10n ** 18n) },
      { why: 'no_funds', balance: '3.00' },
    ],
    ['when the account has no coin', { eth_getBalance: () => '0x0' }, { why: 'no_coin' }],
    ['when the coin does not cover the fee', { eth_getBalance: () => hex(5n * 10n ** 13n) }, { why: 'no_coin' }],
    [
      'when the wallet says that it has switched and has not',
      { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => null },
      { why: 'wrong_network' },
    ],
    [
      'when the switch is declined',
      { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => Promise.reject(failure(4001)) },
      { why: 'rejected' },
    ],
  ];
  test.each(cases)('%s', async (_name, over, expected) => {
    const { fault, methods } = await fails(over);
    expect(fault).toEqual(expected);
    expect(methods).not.toContain('eth_sendTransaction');
  });

  test('when the chain is unknown to the wallet and has no public endpoint', async () => {
    const over: Responses = {
      eth_chainId: () => '0x1',
      wallet_switchEthereumChain: () => Promise.reject(failure(4902)),
    };
    const { fault, methods } = await fails(over, { ...payment, publicUrls: [] });
    expect(fault).toEqual({ why: 'wrong_network' });
    expect(methods).not.toContain('wallet_addEthereumChain');
  });
});

describe('after the send request', () => {
  test.each([
    ['a rejection is reported as such', failure(4001), 'rejected'],
    ['a lack of coin is reported as such', failure(-32000, 'insufficient funds for gas * price + value'), 'no_coin'],
    ['anything else may have been sent', failure(-32603, 'Internal JSON-RPC error.'), 'unclear'],
  ])('%s', async (_name, error, why) => {
    expect((await fails({ eth_sendTransaction: () => Promise.reject(error) })).fault.why).toBe(why);
  });

  test('a response without a hash may have been sent', async () => {
    expect((await fails({ eth_sendTransaction: () => null })).fault.why).toBe('unclear');
  });
});

test('a wallet that does not report balances still gets the send request', async () => {
  const none = () => Promise.reject(failure(4200));
  const { provider } = wallet({ eth_call: none, eth_getBalance: none, eth_estimateGas: none, eth_gasPrice: none });
  expect(await payByEvm(provider)(payment, () => {})).toBe(HASH);
});

test('recognizes error texts of wallets without error codes', () => {
  expect(refusal('Confirmation declined by user', 'unclear').fault.why).toBe('rejected');
  expect(refusal(new Error('User rejected the request.'), 'unclear').fault.why).toBe('rejected');
  expect(refusal(undefined, 'unclear').fault.why).toBe('unclear');
});

test('a balance is shown in whole cents, rounded down', () => {
  expect(unitsToText(0n, 6)).toBe('0.00');
  expect(unitsToText(12_349_999n, 6)).toBe('12.34');
  expect(unitsToText(10n ** 16n - 1n, 18)).toBe('0.00');
});
