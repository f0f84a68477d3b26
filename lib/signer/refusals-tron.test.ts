import { expect, test } from 'vitest';
import {
  altered,
  around,
  expectRefused,
  expectSigned,
  type Asked,
  type RefusedCase,
} from '@/testing/signer/signer-refusals';
import { accounts, localSpec, orderOn, START, tronDraft, type TronChanges } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const directory = useTemporaryDirectory();

const trx = orderOn('tron');

const aroundTron = (fields: object) => around(trx, fields, () => tronDraft(trx));
const tronHex = (change: (hex: string) => string) => altered(trx, () => tronDraft(trx), change);
const onTron = (changes: TronChanges) => async (): Promise<Asked> => ({
  order: trx,
  draft: await tronDraft(trx, 0, START, changes),
});

const cases: RefusedCase[] = [
  ['another owner', 'draft', onTron({ owner: accounts.of('live', 'tron').address })],
  ['a TRX value', 'draft', onTron({ callValue: 1 })],
  ['an active permission', 'draft', onTron({ permissionId: 2 })],
  ['a fee limit above the cap', 'draft', onTron({ feeLimit: 50_000_001 })],
  ['a fee limit that is negative', 'draft', tronHex((hex) => hex.replace(/9001.{8}$/, '9001ffffffffffffffffff01'))],
  ['no fee limit', 'draft', tronHex((hex) => hex.replace(/9001.{8}$/, ''))],
  ['no reference block', 'draft', tronHex((hex) => hex.replace(/^0a025313/, ''))],
  ['a longer reference block', 'draft', onTron({ refBlockBytes: '531353' })],
  ['a shorter hash of the reference block', 'draft', onTron({ refBlockHash: '46a60be20a563f' })],
  ['for another intent', 'draft', aroundTron({ intentId: 're_2' })],
  ['said to be from another wallet', 'draft', aroundTron({ from: accounts.of('live', 'tron').address })],
  ['with a height', 'invalid', aroundTron({ lastValidBlockHeight: 1 })],
  ['with 0x', 'invalid', tronHex((hex) => `0x${hex}`)],
  ['expired', 'draft', onTron({ expiration: START })],
  ['valid for more than a day', 'draft', onTron({ expiration: START + 86_400_001 })],
  ['of the future', 'draft', onTron({ timestamp: START + 600_000 })],
  ['another amount', 'draft', async () => ({ order: trx, draft: await tronDraft(orderOn('tron', { cents: 1235n })) })],
  [
    'another destination',
    'draft',
    async () => ({ order: trx, draft: await tronDraft(orderOn('tron', { to: 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx' })) }),
  ],
  [
    'another token',
    'draft',
    async () => ({
      order: trx,
      draft: await tronDraft({ ...trx, contract: localSpec('tron').tokens.USDC?.contract as string }),
    }),
  ],
  ['another selector', 'draft', tronHex((hex) => hex.replace('a9059cbb', '095ea7b3'))],
  ['a memo in the raw data', 'draft', tronHex((hex) => `${hex}520178`)],
  ['an unknown field', 'draft', tronHex((hex) => `${hex}a00601`)],
  ['a field twice', 'draft', tronHex((hex) => `${hex}${hex.slice(0, 8)}`)],
  ['a number spelled longer', 'draft', tronHex((hex) => hex.replace(/0e$/, '8e00'))],
  ['cut short', 'draft', tronHex((hex) => hex.slice(0, -2))],
  ['nothing', 'invalid', tronHex(() => '')],
];

test.each(cases)('refused: %s', (_what, code, make) => expectRefused(directory, code, make));

test('the table has at least 24 alterations, each with its own name', () => {
  expect(new Set(cases.map(([what]) => what)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(24);
});

test('the unaltered draft is signed', () =>
  expectSigned(directory, [
    [trx, (order) => tronDraft(order, 0, START, { feeLimit: 50_000_000, expiration: START + 86_400_000 })],
  ]));
