import { beforeEach, describe, expect, test, vi } from 'vitest';
import { isSignedMessage } from '@/lib/networks/recipients/signed-message';
import { newSigningWallet, type SigningWallet } from '@/testing/refunds/signing-wallets';
import type { BrowserWallet } from './discover';
import type { EvmProvider } from './evm';
import type { SolanaWallet } from './solana';
import type { TronProvider } from './tron';
import { signWith, type SignStep } from './sign-with';

const TEXT = 'Refund address: 0x1\nfür é 漢';
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
const NAMED = { id: 'x', name: 'Test', icon: null } as const;
type Family = BrowserWallet['family'];

beforeEach(() => {
  vi.stubGlobal('window', {});
  return () => vi.unstubAllGlobals();
});

/** A wallet of each family: `account` is exposed to the page, `fails` is thrown on a sign request. */
function browserWallet(family: Family, { account, sign }: Behaviour): BrowserWallet {
  if (family === 'evm') {
    const request: EvmProvider['request'] = async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts')
        return ['0x1111111111111111111111111111111111111111', account.toUpperCase()];
      expect([method, params[1]]).toEqual(['personal_sign', account.toUpperCase()]);
      return sign(Buffer.from(bytesOf(String(params[0]))).toString('utf8'));
    };
    return { ...NAMED, family, provider: { request } };
  }
  if (family === 'tron') {
    const trx = { signMessageV2: async (text: string) => (await sign(text)).slice(2) };
    const tronWeb = { defaultAddress: { base58: account }, trx } as unknown as TronProvider['tronWeb'];
    return { ...NAMED, family, provider: { request: async () => ({ code: 200 }), tronWeb: tronWeb as never } };
  }
  const accounts = [{ address: 'other' }, { address: account }];
  const features = {
    'standard:connect': { connect: async () => ({ accounts }) },
    'solana:signMessage': {
      signMessage: async (input: { account: { address: string }; message: Uint8Array }) => {
        expect(input.account.address).toBe(account);
        return [{ signature: bytesOf(await sign(Buffer.from(input.message).toString('utf8'))) }];
      },
    },
  };
  const provider: SolanaWallet = { name: 'Test', chains: ['solana:mainnet'], accounts: [], features };
  return { ...NAMED, family, provider };
}

type Behaviour = { readonly account: string; readonly sign: (text: string) => Promise<string> };

const behaviour = ({ address, sign }: SigningWallet): Behaviour => ({ account: address, sign });

describe.each(['evm', 'tron', 'solana'] as const)('a wallet of %s', (family) => {
  test('signs with the account that paid, in a format that the server accepts', async () => {
    const wallet = newSigningWallet(family);
    const steps: SignStep[] = [];
    const signed = await signWith(
      browserWallet(family, behaviour(wallet)),
      { signer: wallet.address, text: TEXT },
      (step) => steps.push(step),
    );
    if ('fault' in signed) throw new Error(signed.fault);
    expect(signed.signature).toMatch(/^0x[0-9a-f]+$/);
    const signature = bytesOf(signed.signature);
    expect(isSignedMessage(family, { signer: wallet.address, message: TEXT, signature })).toBe(true);
    expect(steps).toEqual(['connect', 'confirm']);
  });

  test('gets no sign request when it does not expose the account that paid', async () => {
    const [wallet, other] = [newSigningWallet(family), newSigningWallet(family)];
    const sign = vi.fn<SigningWallet['sign']>();
    const shown = browserWallet(family, { account: other.address, sign });
    expect(await signWith(shown, { signer: wallet.address, text: TEXT }, () => {})).toEqual({ fault: 'other_account' });
    expect(sign).not.toHaveBeenCalled();
  });

  test('has distinct faults for a rejection, a busy or locked wallet, and a failure', async () => {
    const { address } = newSigningWallet(family);
    for (const [error, fault] of [
      [{ code: 4001, message: 'no' }, 'rejected'],
      [{ code: -32002, message: 'pending' }, 'busy'],
      [{ code: 4100, message: 'locked' }, 'locked'],
      [new TypeError('undefined is not a function'), 'unclear'],
      [null, 'unclear'],
    ] as const) {
      const failing = browserWallet(family, { account: address, sign: () => Promise.reject(error) });
      expect(await signWith(failing, { signer: address, text: TEXT }, () => {})).toEqual({ fault });
    }
  });
});

test('a wallet that cannot sign texts counts as one without a signature', async () => {
  for (const family of ['tron', 'solana'] as const) {
    const { address, sign } = newSigningWallet(family);
    const wallet = browserWallet(family, { account: address, sign });
    const web = wallet.provider as unknown as { tronWeb?: { trx: object }; features?: Record<string, unknown> };
    if (web.tronWeb) web.tronWeb.trx = {};
    if (web.features) delete web.features['solana:signMessage'];
    expect(await signWith(wallet, { signer: address, text: TEXT }, () => {})).toEqual({ fault: 'unclear' });
  }
});
