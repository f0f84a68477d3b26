// Wallets of each family that sign texts as browser wallets do, with real keys.

import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { Wallet } from 'ethers';
import { TronWeb } from 'tronweb';
import type { NetworkFamily } from '@/lib/networks/chain';

export type SigningWallet = {
  /** In stored form. */
  readonly address: string;
  /** `0x` and hexadecimal digits. */
  readonly sign: (text: string) => Promise<string>;
};

export const newSigningWallet = (family: NetworkFamily): SigningWallet => MAKERS[family]();

const MAKERS: Readonly<Record<NetworkFamily, () => SigningWallet>> = {
  evm: () => {
    const wallet = Wallet.createRandom();
    return { address: wallet.address.toLowerCase(), sign: (text) => wallet.signMessage(text) };
  },
  tron: () => {
    const { address, privateKey } = TronWeb.createRandom();
    const { trx } = new TronWeb({ fullHost: 'http://127.0.0.1:1' });
    return { address, sign: async (text) => trx.signMessageV2(text, privateKey.replace(/^0x/, '')) };
  },
  solana: () => {
    const secret = ed25519.utils.randomSecretKey();
    return {
      address: base58.encode(ed25519.getPublicKey(secret)),
      sign: async (text) => `0x${Buffer.from(ed25519.sign(Buffer.from(text), secret)).toString('hex')}`,
    };
  },
};
