import { encodeRlp, Interface, toBeArray, Transaction, Wallet, ZeroAddress } from 'ethers';
import { expect, test } from 'vitest';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Draft } from '@/lib/networks/sending/send';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import {
  altered,
  around,
  expectRefused,
  expectSigned,
  type Asked,
  type RefusedCase,
} from '@/testing/signer/signer-refusals';
import {
  accounts,
  evidenceKey,
  evmDraft,
  localSpec,
  orderOn,
  PAYERS,
  tronDraft,
  type EvmChanges,
} from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import type { RefundOrder } from './orders';

const directory = useTemporaryDirectory();

const eth = orderOn('ethereum');
const bsc = orderOn('bsc');
const other = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

/** The order changed after the evidence was made, with a transaction that has these fields. */
const onEvm =
  (changes: Partial<RefundOrder>, draft: EvmChanges = {}) =>
  (): Asked => ({ order: { ...eth, ...changes }, draft: evmDraft(eth, draft) });
const aroundEvm = (fields: object) => around(eth, fields, () => evmDraft(eth));
const evmHex = (change: (hex: string) => string) => altered(eth, () => evmDraft(eth), change);
/** An unsigned transaction of type 2 from its nine fields, which ethers would refuse to write. */
const evmFields = (change: (fields: (string | string[])[]) => (string | string[])[]) => (): Asked => {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, data } = Transaction.from(
    evmDraft(eth).unsigned,
  );
  const number = (value: bigint | number | null) => hexOf(toBeArray(value ?? 0));
  const integers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(number);
  const honest = [...integers, to as string, '0x', data, []];
  const write = (fields: (string | string[])[]) => `0x02${encodeRlp(fields).slice(2)}`;
  expect(write(honest)).toBe(evmDraft(eth).unsigned);
  return { order: eth, draft: { ...evmDraft(eth), unsigned: write(change(honest)) } };
};
const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const call = (text: string, ...values: unknown[]) =>
  new Interface([`function ${text}`]).encodeFunctionData(text.split('(')[0] as string, values);
const evidenced = (
  changes: Partial<RefundOrder['evidence']>,
  key: MacKeys = evidenceKey,
  environment: 'live' | 'test' = 'test',
) => {
  const { mac: _mac, ...said } = eth.evidence;
  return { evidence: makeEvidence(key, environment, { ...said, ...changes }) };
};
const priced: EvmChanges = { gasPrice: 50_000_000n, maxFeePerGas: null, maxPriorityFeePerGas: null };
/** The unaltered call plus an EIP-7702 authorization that lets another contract's code run as the signing account. */
function delegating(): Draft {
  const authorizer = new Wallet(`0x${'11'.repeat(32)}`);
  const authorization = authorizer.authorizeSync({ address: other, nonce: 0, chainId: 0 });
  return evmDraft(eth, { type: 4, authorizationList: [authorization] });
}
function signedAlready(): Asked {
  const { unsigned } = evmDraft(eth);
  const transaction = Transaction.from(unsigned);
  transaction.signature = new Wallet(`0x${'11'.repeat(32)}`).signingKey.sign(transaction.unsignedHash);
  return { order: eth, draft: { ...evmDraft(eth), unsigned: transaction.serialized } };
}

const cases: RefusedCase[] = [
  // The order.
  ['a live order on test networks', 'not_allowed', onEvm({ environment: 'live' })],
  ['a network that is not in the settings', 'not_allowed', onEvm({ network: 'base' })],
  ['another network of the same family', 'not_allowed', onEvm({ network: 'bsc' })],
  ['a currency that is another contract', 'not_allowed', onEvm({ currency: 'USDC' })],
  ['a currency that is none', 'invalid', onEvm({ currency: 'ETH' as 'USDT' })],
  ['a contract that is no token', 'not_allowed', onEvm({ contract: other }, { to: other })],
  ['the contract in other letters', 'not_allowed', onEvm({ contract: eth.contract.replace('dac', 'DAC') })],
  ['the token of another network', 'not_allowed', onEvm({ contract: bsc.contract }, { to: bsc.contract })],
  ['another destination', 'evidence', onEvm({ to: other })],
  [
    'another destination, drafted so',
    'evidence',
    onEvm({ to: other }, { data: call('transfer(address,uint256)', other, eth.amount) }),
  ],
  ['the zero address', 'not_allowed', onEvm({ to: ZeroAddress })],
  ['the token itself', 'not_allowed', onEvm({ to: eth.contract })],
  ['the refund wallet itself', 'not_allowed', onEvm({ to: accounts.of('test', 'evm').address })],
  ['an address of another family', 'not_allowed', onEvm({ to: PAYERS.tron })],
  ['an address in other letters', 'not_allowed', onEvm({ to: eth.to.toUpperCase().replace('0X', '0x') })],
  ['an address that is too short', 'not_allowed', onEvm({ to: eth.to.slice(0, -1) })],
  ['a higher amount than is drafted', 'draft', onEvm({ amount: '12350000' })],
  ['a lower amount than is drafted', 'draft', onEvm({ amount: '12330000' })],
  ['nothing', 'not_allowed', onEvm({ amount: '0' })],
  ['a part of a cent', 'not_allowed', onEvm({ amount: '12340001' })],
  ['a negative amount', 'invalid', onEvm({ amount: '-12340000' })],
  ['an amount with a fraction', 'invalid', onEvm({ amount: '12340000.0' })],
  ['an amount with an exponent', 'invalid', onEvm({ amount: '1e7' })],
  ['an amount with a leading zero', 'invalid', onEvm({ amount: '012340000' })],
  ['an amount as a number', 'invalid', onEvm({ amount: 12_340_000 as unknown as string })],
  ['more than the limit per refund', 'limit', onEvm({ amount: '1000010000' })],
  ['an empty intent', 'invalid', onEvm({ intentId: '' })],
  ['a field more', 'invalid', onEvm({ memo: 'x' } as Partial<RefundOrder>)],
  // The evidence.
  ['no evidence', 'invalid', onEvm({ evidence: undefined as unknown as RefundOrder['evidence'] })],
  ['evidence of another kind than was stated', 'evidence', onEvm({ evidence: { ...eth.evidence, kind: 'claim' } })],
  [
    'evidence of another session than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, session: 'cs_test_2' } }),
  ],
  [
    'evidence of another transfer than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, reference: 'x' } }),
  ],
  [
    'evidence of more money than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, mostCents: '9999999' } }),
  ],
  ['evidence with an altered address', 'evidence', onEvm({ to: other, evidence: { ...eth.evidence, address: other } })],
  [
    'evidence with one bit of its MAC changed',
    'evidence',
    onEvm({
      evidence: { ...eth.evidence, mac: eth.evidence.mac.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
    }),
  ],
  ['evidence with no MAC', 'invalid', onEvm({ evidence: { ...eth.evidence, mac: '' } })],
  ['evidence made with another key', 'evidence', onEvm(evidenced({}, [Buffer.alloc(32, 4)]))],
  ['evidence made for live', 'evidence', onEvm(evidenced({}, evidenceKey, 'live'))],
  ['honest evidence for another network', 'evidence', onEvm(evidenced({ network: 'bsc' }))],
  ['honest evidence for another address', 'evidence', onEvm(evidenced({ address: other }))],
  ['honest evidence of a smaller payment', 'limit', onEvm(evidenced({ mostCents: '1233' }))],
  // EVM drafts.
  ['another chain id', 'draft', onEvm({}, { chainId: 1 })],
  ['a call of another contract', 'draft', onEvm({}, { to: other })],
  ['a call without a recipient', 'draft', onEvm({}, { to: null })],
  ['transfer to another', 'draft', onEvm({}, { data: call('transfer(address,uint256)', other, eth.amount) })],
  [
    'transfer of more',
    'draft',
    onEvm({}, { data: call('transfer(address,uint256)', eth.to, BigInt(eth.amount) + 1n) }),
  ],
  ['approve', 'draft', onEvm({}, { data: call('approve(address,uint256)', eth.to, eth.amount) })],
  [
    'transferFrom',
    'draft',
    onEvm({}, { data: call('transferFrom(address,address,uint256)', eth.to, eth.to, eth.amount) }),
  ],
  ['dirty upper bytes of the address', 'draft', evmHex((hex) => hex.replace('a9059cbb00', 'a9059cbb01'))],
  ['bytes after the call', 'draft', onEvm({}, { data: `${Transaction.from(evmDraft(eth).unsigned).data}00` })],
  ['no call', 'draft', onEvm({}, { data: '0x' })],
  ['a value', 'draft', onEvm({}, { value: 1 })],
  ['an access list', 'draft', onEvm({}, { accessList: [{ address: other, storageKeys: [] }] })],
  ['type 4 with an authorization', 'draft', () => ({ order: eth, draft: delegating() })],
  ['type 0', 'draft', onEvm({}, { ...priced, type: 0 })],
  ['type 1', 'draft', onEvm({}, { ...priced, type: 1 })],
  ['a fee above the cap by price', 'draft', onEvm({}, { maxFeePerGas: 300_000_000_000_000n })],
  ['a fee above the cap by one unit of gas', 'draft', onEvm({}, { maxFeePerGas: 10n ** 12n, gasLimit: 20_001n })],
  ['a tip above the whole fee', 'draft', evmFields((fields) => fields.with(2, '0xb2d05e01'))],
  ['no fee', 'draft', onEvm({}, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })],
  ['no gas', 'draft', onEvm({}, { gasLimit: 0n })],
  ['a nonce with a leading zero', 'draft', evmFields((fields) => fields.with(1, '0x0001'))],
  ['a nonce beyond all numbers', 'draft', evmFields((fields) => fields.with(1, '0xffffffffffffffff'))],
  ['a list in place of the call', 'draft', evmFields((fields) => fields.with(7, []))],
  ['a field more in the transaction', 'draft', evmFields((fields) => [...fields, '0x'])],
  ['a field less in the transaction', 'draft', evmFields((fields) => fields.slice(0, -1))],
  ['a transaction that is signed', 'draft', signedAlready],
  ['a transaction that goes on', 'draft', evmHex((hex) => `${hex}00`)],
  ['a transaction that is cut short', 'draft', evmHex((hex) => hex.slice(0, -2))],
  ['a transaction in other letters', 'invalid', evmHex((hex) => hex.toUpperCase().replace('0X', '0x'))],
  ['a transaction with half a byte', 'invalid', evmHex((hex) => `${hex}0`)],
  ['a transaction without 0x', 'invalid', evmHex((hex) => hex.slice(2))],
  ['no transaction', 'invalid', evmHex(() => '0x')],
  ['a draft for another intent', 'draft', aroundEvm({ intentId: 're_2' })],
  ['a draft for no intent', 'invalid', aroundEvm({ intentId: undefined })],
  ['a draft from another wallet', 'draft', aroundEvm({ from: other })],
  ['a draft from the live wallet', 'draft', aroundEvm({ from: accounts.of('live', 'evm').address })],
  ['a draft without a sender', 'invalid', aroundEvm({ from: undefined })],
  ['a draft of a family that is none', 'invalid', aroundEvm({ family: 'bitcoin' })],
  ['a draft under another family', 'draft', aroundEvm({ family: 'tron', unsigned: evmDraft(eth).unsigned.slice(2) })],
  ['a draft with a field more', 'invalid', aroundEvm({ nonce: 0 })],
  ['a draft of another family', 'draft', async () => ({ order: eth, draft: await tronDraft(orderOn('tron')) })],
  [
    'BSC with the chain id of Ethereum',
    'draft',
    () => ({ order: bsc, draft: evmDraft(bsc, { chainId: localSpec('ethereum').chainId }) }),
  ],
];

test.each(cases)('refused: %s', (_what, code, make) => expectRefused(directory, code, make));

test('the table has at least 80 alterations, each with its own name', () => {
  expect(new Set(cases.map(([what]) => what)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(80);
});

test('the unaltered drafts are signed', () =>
  expectSigned(directory, [
    [eth, (order) => evmDraft(order, { maxFeePerGas: 10n ** 12n, gasLimit: 20_000n })],
    [bsc, (order) => evmDraft(order)],
  ]));
