// The `forwarders` command: prints the code that creates the contract of forwarders for the treasury of the settings and the sponsors of the
// keystore. The operator sends it with any wallet, because the account that creates the contract has no power over it. It signs nothing.

import { mnemonicToSeed } from '@scure/bip39';
import { forwardersCreation } from '@/lib/networks/families/tron/sweeping/forwarders';
import { openKeystore } from '@/lib/signer/keystore/keystore';
import type { SignerSettings } from '@/lib/signer/settings';
import { nameOf, withRefundWallet } from '@/lib/signer/sweeps/policy';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';

const USAGE =
  'The command is "forwarders NETWORK", such as "forwarders tron@mainnet", with that network in SIGNER_TREASURY_WALLETS.';

/** Throws an Error for a network without a treasury in the settings. */
export async function printForwarders(
  settings: SignerSettings,
  [name, ...others]: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const named = settings.SIGNER_TREASURY_WALLETS.find(({ spec }) => spec.family === 'tron' && nameOf(spec) === name);
  if (!named || others.length > 0) throw new Error(USAGE);
  const { KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const seed = await mnemonicToSeed(await openKeystore({ file, passphrase, allowPublic }));
  const [keys, accounts] = [sweepKeys(seed, 'tron'), refundAccounts(seed)];
  seed.fill(0);
  try {
    const { spec, treasury } = withRefundWallet(named, (row) => accounts.of(row.environment, row.family).address);
    const sponsor = keys.sponsor(spec.environment, 'first').address;
    const spareSponsor = keys.sponsor(spec.environment, 'spare').address;
    print(`Forwarders of this contract can send money to ${treasury} only. Compare that address with your treasury’s.`);
    print(`They obey it and the sponsors ${sponsor} and ${spareSponsor}.`);
    print('The code that creates the contract, with its arguments:');
    print(forwardersCreation({ treasury, sponsor, spareSponsor }));
  } finally {
    keys.wipe();
    accounts.wipe();
  }
}
