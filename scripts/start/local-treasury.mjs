// The wallets of a sandbox, for the service and for the signer. Sweeps fill the refund wallet, which pays refunds and payouts, and its
// excess goes to a cold wallet, so that on every local chain the loop of money runs by itself.

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];

/** Where deposit addresses of the local chains are swept to. */
export const LOCAL_TREASURY = Object.fromEntries(NETWORKS.map((network) => [network, 'refund-wallet']));

/** Wallets whose keys are unknown. What is sent there stays. */
export const LOCAL_COLD_WALLETS = {
  ethereum: '0x7982d9b7cffc2f9f186b06a6c109d593908c3762',
  bsc: '0x7982d9b7cffc2f9f186b06a6c109d593908c3762',
  tron: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA',
  solana: 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF',
};

/** A local chain begins with ten million of each token in the refund wallet. What is more goes to the cold wallet, once it is more than fifty. */
const LOCAL_LEVELS = '1000000:10000000:10000050';

const TOKENS = ['USDT', 'USDC'];
const LOCAL_COLD = {
  COLD_WALLETS: localEntries(LOCAL_COLD_WALLETS),
  REFUND_WALLET_LEVELS: NETWORKS.flatMap((network) =>
    TOKENS.map((currency) => `${network}@local/${currency}=${LOCAL_LEVELS}`),
  ).join(','),
};

/** Payouts in batches, and how many tokens the contract may move. The sandbox deploys it when its chains start. */
const LOCAL_BATCHES = ['ethereum', 'bsc']
  .flatMap((network) => TOKENS.map((currency) => `${network}@local/${currency}=1000000`))
  .join(',');

/** The operator's own wallets come first, and replace that of the sandbox for their network. */
export function withLocalTreasury(given = '') {
  const named = entriesOf(given);
  const others = entriesOf(localEntries(LOCAL_TREASURY)).filter(
    (entry) => !named.some((one) => one.split('=')[0] === entry.split('=')[0]),
  );
  return [...named, ...others].join(',');
}

/** The operator's own settings replace those of the sandbox. */
export const withLocalCold = ({ COLD_WALLETS, REFUND_WALLET_LEVELS }) => ({
  COLD_WALLETS: COLD_WALLETS || LOCAL_COLD.COLD_WALLETS,
  REFUND_WALLET_LEVELS: REFUND_WALLET_LEVELS || LOCAL_COLD.REFUND_WALLET_LEVELS,
});

/** The wallets of the signer of a sandbox. */
export const signerWallets = (environment) => ({
  SIGNER_TREASURY_WALLETS: signerTreasuries(environment),
  SIGNER_PAYOUT_BATCHES: environment.SIGNER_PAYOUT_BATCHES || LOCAL_BATCHES,
  SIGNER_COLD_WALLETS: environment.SIGNER_COLD_WALLETS || withLocalCold(environment).COLD_WALLETS,
});

/** In a sandbox the signer sweeps these local chains to the treasury of which the service books the sweeps. */
function signerTreasuries({ SIGNER_TREASURY_WALLETS: given = '', TREASURY_WALLETS: booked }) {
  const local = entriesOf(withLocalTreasury(booked)).filter((entry) =>
    /^(?:ethereum|bsc|tron|solana)@local=/.test(entry),
  );
  // The test environment follows the local chains, and the signer takes one chain for each environment.
  const named = entriesOf(given).filter((entry) => !/^(?:ethereum|bsc|tron|solana)@testnet=/.test(entry));
  const others = local.filter((entry) => !named.some((one) => one.split('=')[0] === entry.split('=')[0]));
  return [...named, ...others].join(',');
}

const entriesOf = (setting) => setting.split(/[\s,]+/).filter((entry) => entry !== '');

/** The setting of wallets by network. @param {Record<string, string>} wallets */
export function localEntries(wallets) {
  return Object.entries(wallets)
    .map(([network, address]) => `${network}@local=${address}`)
    .join(',');
}
