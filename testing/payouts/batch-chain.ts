// Batches of payouts on a local chain: what is on the chain, and what the issuers of its tokens do.

import { Interface, Wallet } from 'ethers';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { openRpc } from '@/sandbox/chains/evm/rpc';
import type { LocalNetwork } from '@/sandbox/chains/local-network';

const issuing = new Interface([
  'function owner() view returns (address)',
  'function addBlackList(address account)',
  'function blacklist(address account)',
  'function approve(address spender, uint256 value)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function pause()',
  'function unpause()',
]);
const RICH = '0xde0b6b3a7640000';

export type ChainReceipt = {
  readonly status: string;
  readonly gasUsed: string;
  readonly to: string;
  readonly transactionHash: string;
};

export function openBatchChain(chain: LocalNetwork) {
  const rpc = openRpc(chain.rpcUrl);
  const usdt = chain.spec.tokens.USDT?.contract ?? '';
  const asOwner = async (name: string, values: readonly unknown[], to = usdt): Promise<void> => {
    const from = `0x${(await rpc('eth_call', { to, data: issuing.encodeFunctionData('owner') }, 'latest')).slice(-40)}`;
    await rpc('anvil_impersonateAccount', from);
    await rpc('anvil_setBalance', from, RICH);
    await rpc('eth_sendTransaction', { from, to, data: issuing.encodeFunctionData(name, values) });
    await rpc('anvil_stopImpersonatingAccount', from);
  };
  return {
    rpc,
    usdt,
    asOwner,
    /** The issuer blocks an address. USDT on Ethereum lets it receive tokens all the same, USDC does not. */
    block: (address: string, currency: 'USDT' | 'USDC') =>
      asOwner(currency === 'USDT' ? 'addBlackList' : 'blacklist', [address], chain.spec.tokens[currency]?.contract),
    async allowed(owner: string): Promise<bigint> {
      return BigInt(
        await rpc(
          'eth_call',
          { to: usdt, data: issuing.encodeFunctionData('allowance', [owner, PAYOUT_BATCH]) },
          'latest',
        ),
      );
    },
    /** As another holder of the wallet's key could: the contract may move no USDT any more. */
    async disallow(owner: string): Promise<void> {
      await rpc('anvil_impersonateAccount', owner);
      await rpc('eth_sendTransaction', {
        from: owner,
        to: usdt,
        data: issuing.encodeFunctionData('approve', [PAYOUT_BATCH, 0]),
      });
      await rpc('anvil_stopImpersonatingAccount', owner);
    },
    receipt: (hash: string) => rpc<ChainReceipt | null>('eth_getTransactionReceipt', hash),
    used: async (wallet: string) => Number(await rpc('eth_getTransactionCount', wallet, 'latest')),
  };
}

export const newAddress = (): string => Wallet.createRandom().address.toLowerCase();
