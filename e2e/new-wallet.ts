// Addresses of new wallets, whose keys are not needed: somebody is paid there.

import { generateKeyPairSync } from 'node:crypto';
import { concat, encodeBase58, sha256, Wallet } from 'ethers';

export type Network = 'ethereum' | 'bsc' | 'tron' | 'solana';

export function newWallet(network: Network): string {
  if (network === 'solana') {
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    return encodeBase58(Buffer.from(x as string, 'base64url'));
  }
  const { address } = Wallet.createRandom();
  if (network !== 'tron') return address;
  const body = `0x41${address.slice(2)}`;
  return encodeBase58(concat([body, sha256(sha256(body)).slice(0, 10)]));
}
