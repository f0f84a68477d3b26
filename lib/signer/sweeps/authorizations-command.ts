// The `authorizations` command, for a machine without a network that has the words of the deposit addresses. It signs in
// advance that these addresses delegate to the contract that sends their money to the treasury, and writes a file for the
// worker. The installation itself can then sweep without their keys. The command computes the contract's address from the
// treasury and the sponsors, which are all that a person types.

import path from 'node:path';
import { mnemonicToSeed } from '@scure/bip39';
import { presignedFile, presignedLine } from '@/lib/networks/families/evm/sweeping/presigned';
import { delegateAddress } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { authorizationSigning } from '@/lib/networks/families/evm/sweeping/sweep-transaction';
import { openKeystore } from '@/lib/signer/keystore/keystore';
import { writeNewFile } from '@/lib/signer/files/new-file';
import type { SignerSettings } from '@/lib/signer/settings';
import { INDEX_LIMIT } from '@/lib/treasury/wallets/derivation';
import { sweepKeys, type SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { nameOf, treasuriesOf } from './policy';
import { MAX_AUTHORIZATION_NONCE } from './orders';

/** A file of 143 MB. */
const MAX_COUNT = 1_000_000;
const USAGE =
  'The command is "authorizations NETWORK=TREASURY SPONSOR SPARE_SPONSOR FROM COUNT DIRECTORY [NONCE]", such as ' +
  '"authorizations ethereum@mainnet=0x… 0x… 0x… 0 100000 /media/usb". `npm run doctor` prints the whole command.';

type Request = {
  readonly name: string;
  readonly chainId: number;
  readonly treasury: string;
  readonly delegate: string;
  readonly from: number;
  readonly count: number;
  readonly directory: string;
  readonly nonce: number;
};

/** Writes the file. Throws an Error without writing anything; an existing file stays as it is. */
export async function presignAuthorizations(
  settings: SignerSettings,
  words: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const { name, chainId, treasury, delegate, from, count, directory, nonce } = readRequest(words);
  const { KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const seed = await mnemonicToSeed(await openKeystore({ file, passphrase, allowPublic }));
  const keys = sweepKeys(seed);
  seed.fill(0);
  const delegation = { chainId, address: delegate, nonce };
  const first = keys.withDeposit(from, ({ address }) => address);
  let lines = '';
  try {
    lines = authorizationLines(keys, delegation, { from, count });
  } finally {
    keys.wipe();
  }
  const target = path.join(directory, presignedFile(delegation));
  if (!(await writeNewFile(target, lines))) throw new Error(`${target} exists already. Nothing was done.`);
  print(`${count} addresses, from the index ${from} (${first}), delegate on ${name} to ${delegate}.`);
  print(
    `All that this contract does is to send their tokens to ${treasury}. Compare that address with your treasury’s.`,
  );
  print(`Copy ${target} to the directory that SWEEP_AUTHORIZATIONS_DIR of the worker names.`);
}

/** What the file says: the delegation of each of these deposit addresses. */
export function authorizationLines(
  keys: Pick<SweepKeys, 'withDeposit'>,
  delegation: Parameters<typeof authorizationSigning>[0],
  { from, count }: Pick<Request, 'from' | 'count'>,
): string {
  const { payload, finish } = authorizationSigning(delegation);
  const lines: string[] = [];
  for (let index = from; index < from + count; index++)
    keys.withDeposit(index, ({ sign }) => lines.push(presignedLine({ index, ...finish(sign(payload)) })));
  return lines.join('');
}

function readRequest([
  entry = '',
  sponsor = '',
  spare = '',
  from = '',
  count = '',
  directory = '',
  ...rest
]: readonly string[]): Request {
  const [nonce = '0', ...more] = rest;
  const numbers = [from, count, nonce].map((text) => (/^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN));
  const [first = Number.NaN, many = Number.NaN, accountNonce = Number.NaN] = numbers;
  if (more.length > 0 || directory === '' || numbers.some(Number.isNaN)) throw new Error(USAGE);
  const [named] = treasuriesOf(entry);
  if (!named || named.spec.family !== 'evm' || named.spec.chainId === null)
    throw new Error(`No EVM network is named. ${USAGE}`);
  const [one, other] = [sponsor, spare].map((text) => text.toLowerCase()) as [string, string];
  const wallets = [named.treasury, one, other];
  if (!wallets.every((text) => /^0x[0-9a-f]{40}$/.test(text)) || new Set(wallets).size !== wallets.length)
    throw new Error('Treasury and sponsors are three different addresses that begin with 0x. Nothing was done.');
  if (many < 1 || many > MAX_COUNT || first + many > INDEX_LIMIT)
    throw new Error(`COUNT is 1 to ${MAX_COUNT}, and the last index is below ${INDEX_LIMIT}. Nothing was done.`);
  if (accountNonce > MAX_AUTHORIZATION_NONCE)
    throw new Error(`NONCE is 0 to ${MAX_AUTHORIZATION_NONCE}. Nothing was done.`);
  const delegate = delegateAddress({ treasury: named.treasury, sponsor: one, spareSponsor: other });
  const { spec, treasury } = named;
  return {
    ...{ name: nameOf(spec), chainId: named.spec.chainId, treasury, delegate },
    ...{ from: first, count: many, directory, nonce: accountNonce },
  };
}
