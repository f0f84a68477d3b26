// The treasury wallets of a sandbox: those that the service books sweeps to, and those that the signer sweeps to. On TRON that is the
// refund wallet, whose excess goes to a cold wallet, so that the loop of money runs by itself.

/** The operator's wallets on the local chains, to which deposit addresses are swept. Their keys are unknown but for the refund wallet's. */
export const LOCAL_TREASURY = {
  ethereum: '0x7982d9b7cffc2f9f186b06a6c109d593908c3762',
  bsc: '0x7982d9b7cffc2f9f186b06a6c109d593908c3762',
  tron: 'refund-wallet',
  solana: 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF',
};

/** The local chain begins with ten million of each token in the refund wallet. Fifty more than that go to the cold wallet. */
const LOCAL_COLD = {
  COLD_WALLETS: 'tron@local=TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA',
  REFUND_WALLET_LEVELS: 'tron@local/USDT=1000000:10000000:10000050,tron@local/USDC=1000000:10000000:10000050',
};

/** Payouts in batches, and how many tokens the contract may move. The sandbox deploys it when its chains start. */
const LOCAL_BATCHES = ['ethereum', 'bsc']
  .flatMap((network) => ['USDT', 'USDC'].map((currency) => `${network}@local/${currency}=1000000`))
  .join(',');

/** The operator's own wallets come first, and replace that of the sandbox for their network. */
export function withLocalTreasury(given = '') {
  const named = entriesOf(given);
  const local = Object.entries(LOCAL_TREASURY).map(([network, address]) => [`${network}@local`, address]);
  const others = local.filter(([network]) => !named.some((entry) => entry.startsWith(`${network}=`)));
  return [...named, ...others.map((entry) => entry.join('='))].join(',');
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
