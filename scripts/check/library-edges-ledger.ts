// The part of the table of allowed imports (library-edges.ts) that is about the ledger.

export const LEDGER_EDGES: Readonly<Record<string, readonly string[]>> = {
  ledger: ['money/amounts', 'screening/sender-sql'],
  'ledger/coin': [
    'networks/coins',
    'networks/endpoints/balances-reader',
    'networks/families/solana/sending/read-draft',
    'networks/networks',
  ],
  'ledger/invariants': ['money/currencies'],
  'ledger/proofs': [
    'ledger/postings',
    'ledger/reconciliation/former-wallets',
    'merchants/audit/record',
    'networks',
    'signer/client',
    'treasury/wallets/address-source',
  ],
  'ledger/reconciliation': [
    'ledger/balances',
    'ledger/coin/stakes', // The refund wallet's stake is read with its coin.
    'ledger/post-outflow',
    'ledger/post-refund',
    'ledger/postings',
    'merchants/audit/record',
    'money/amounts',
    'networks',
    'payments/sessions/expire/balance-hold',
    'payments/sessions/settle/judge',
    'payments/sessions/settle/read-threshold',
    'payments/watcher/backfill/rescan',
    'payments/watcher/cursors/chain-row',
    'payments/watcher/pass',
    'payments/watcher/transfers/deposit-addresses',
    'payments/watcher/window',
    'refunds/wallet-check/known', // An operator who ends a freeze has looked at the wallet.
    'signer/client',
    'treasury/own-wallets/list',
    'treasury/wallets/address-source',
  ],
  'ledger/wallet-history': ['networks/direct-settlement'],
};
