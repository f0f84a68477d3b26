// The doctor compares TREASURY_WALLETS with the wallets that the signer sweeps to, and looks for authorizations signed in advance.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SignerState } from '@/lib/signer/client';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { presignedLine } from '@/lib/networks/families/evm/sweeping/presigned';
import { authorizationFindings } from './authorizations';
import { sweepFindings } from './sweeps';

const directory = useTemporaryDirectory();

const [OURS, OTHER] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const ADDRESSES = {
  evm: `0x${'c3'.repeat(20)}`,
  tron: 'TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2',
  solana: 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF',
};
const TRON = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';

const swept = (network: string, treasury: string): NonNullable<SignerState['sweeps']>[number] => ({
  ...{ network, treasury, environment: 'live', sponsor: OTHER, spareSponsor: OTHER, active: OTHER, delegate: OTHER },
  ...{ feesPerHour: '1', feesLastHour: '0' },
});
const NOTHING = { perRefund: '0', perHour: '0', perDay: '0' };
const LIMITS = { ...NOTHING, claims: NOTHING, approvalAbove: '0' };
const findings = (
  wallets: readonly string[],
  sweeps?: SignerState['sweeps'],
  isDirect = false,
  limits: SignerState['limits'] = LIMITS,
) =>
  sweepFindings(
    { DIRECT_SETTLEMENT: isDirect, TREASURY_WALLETS: [...wallets], TRON_FORWARDERS: [] },
    { sweeps, wallets: { live: ADDRESSES, test: ADDRESSES }, limits },
  ).map(({ state, message }) => `${state} ${message}`);

test('nothing is said when neither has a treasury wallet', () => {
  expect(findings([])).toEqual([]);
});

test('warns of a treasury wallet to which the signer sweeps nothing', () => {
  const missing = 'warn TREASURY_WALLETS names bsc@mainnet, but the signer sweeps nothing there';
  expect(findings([`bsc@mainnet=${OURS}`])).toEqual([missing]);
  expect(findings([`bsc@mainnet=${OURS}`], [])).toEqual([missing]);
  expect(findings([`tron@mainnet=${TRON}`], [])).toEqual([missing.replace('bsc', 'tron')]);
});

test('fails when service and signer name different wallets, or only the signer names one', () => {
  expect(findings([`bsc@mainnet=${OURS}`], [swept('bsc@mainnet', OTHER)])).toEqual([
    'fail bsc@mainnet: TREASURY_WALLETS and the signer name different wallets, so nothing is swept',
  ]);
  expect(findings([], [swept('ethereum@mainnet', OTHER)])).toEqual([
    'fail ethereum@mainnet: the signer has a treasury wallet and TREASURY_WALLETS has none, so nothing is swept',
  ]);
});

test('names the networks on which both agree', () => {
  const wallets = [`tron@mainnet=${TRON}`, `bsc@mainnet=${OURS}`];
  expect(findings(wallets, [swept('bsc@mainnet', OURS), swept('tron@mainnet', TRON)])).toEqual([
    'ok to the same wallets as the signer: tron@mainnet, bsc@mainnet',
  ]);
});

test('with direct settlement fails without a wallet of the merchant, and where sweeps go to the refund wallet', () => {
  expect(findings([], [], true)).toEqual(['fail DIRECT_SETTLEMENT is on without TREASURY_WALLETS: no money goes out']);
  const refund = 'fail tron@mainnet: DIRECT_SETTLEMENT is on, but sweeps go to the refund wallet';
  for (const wallet of ['refund-wallet', ADDRESSES.tron])
    expect(findings([`tron@mainnet=${wallet}`], [swept('tron@mainnet', ADDRESSES.tron)], true)).toContain(refund);
  expect(findings([`bsc@mainnet=${OURS}`], [swept('bsc@mainnet', OURS)], true)).toEqual([
    'ok to the same wallets as the signer: bsc@mainnet',
  ]);
});

test('with direct settlement fails while the signer would sign payouts, and says nothing of that without it', () => {
  const limits = { ...LIMITS, payouts: { ...NOTHING, perRefund: '1' } };
  const said = (isDirect: boolean, of: SignerState['limits']) =>
    findings([`bsc@mainnet=${OURS}`], [swept('bsc@mainnet', OURS)], isDirect, of);
  const fails = 'fail DIRECT_SETTLEMENT is on, but the signer would sign payouts';
  expect(said(true, limits)).toContain(fails);
  expect(said(true, { ...limits, payouts: NOTHING })).not.toContain(fails);
  expect(said(false, limits)).not.toContain(fails);
});

test('where deposit keys are offline, prints the command that makes the missing authorizations, until the file is there', () => {
  const sweeps = [swept('bsc@mainnet', OURS), { ...swept('tron@mainnet', TRON), delegate: null }];
  const file = `56-${OTHER}-0.txt`;
  const found = () => authorizationFindings({ SWEEP_AUTHORIZATIONS_DIR: directory }, { sweeps });
  expect(found()).toEqual([
    {
      check: 'sweeps',
      state: 'warn',
      message: `bsc@mainnet: ${directory} has no usable file ${file}, so nothing is swept`,
      todo: expect.stringContaining(`authorizations bsc@mainnet=${OURS} ${OTHER} ${OTHER} 0 100000 DIRECTORY`),
    },
  ]);
  const line = (index: number) =>
    presignedLine({ index, yParity: 0, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` });
  const write = (text: string) => fs.writeFileSync(path.join(directory, file), text);
  write(`${line(7)}${line(8)}`.slice(0, -1));
  expect(found()).toMatchObject([{ state: 'warn' }]);
  write(`${line(7)}${line(8)}`);
  expect(found()).toMatchObject([{ state: 'ok', message: expect.stringContaining('addresses 7 to 8') }]);
  expect(authorizationFindings({ SWEEP_AUTHORIZATIONS_DIR: undefined }, { sweeps })).toEqual([]);
});

test('takes the word for the refund wallet for the signer’s own address, and for no other', () => {
  expect(findings(['bsc@mainnet=refund-wallet'], [swept('bsc@mainnet', ADDRESSES.evm)])).toEqual([
    'ok to the same wallets as the signer: bsc@mainnet',
  ]);
  expect(findings(['bsc@mainnet=refund-wallet'], [swept('bsc@mainnet', OURS)])).toEqual([
    'fail bsc@mainnet: TREASURY_WALLETS and the signer name different wallets, so nothing is swept',
  ]);
});
