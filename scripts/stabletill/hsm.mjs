// `stabletill hsm`: keys in an HSM (docs/operate.md, “Keys in an HSM”). `build` compiles pkcs11js, which no installation does by
// itself. All other words go to the signer's `hsm` command.

import path from 'node:path';
import { compilePkcs11 } from '../start/compile-pkcs11.mjs';
import { WrongUsage } from '../start/refusal.mjs';
import { runSigner } from '../start/signer-terminal.mjs';

export const command = {
  name: 'hsm',
  summary: 'makes, imports and shows the keys of wallets in an HSM',
  usage: `stabletill hsm build                compiles the PKCS#11 module, once
stabletill hsm generate WALLET…     makes new keys in the HSM, and prints addresses and settings
stabletill hsm import WALLET…       puts the keystore's keys into the HSM
stabletill hsm show WALLET…         prints addresses and settings of keys that are there
WALLET is such as refund/live/evm. It runs with the signer's settings and at a terminal.`,
  isJsonless: true,
  run: (words, { print }) => {
    if (words.length === 0) throw new WrongUsage();
    if (words[0] !== 'build' || words.length > 1) return runSigner(['hsm', ...words]);
    compilePkcs11(path.join(import.meta.dirname, '../..'));
    print('pkcs11js is compiled.');
    return 0;
  },
};
