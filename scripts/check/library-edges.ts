// Which folders of lib may import which: the part of the architecture that is a table. A new edge between two folders is a
// decision, made by adding it here.

/**
 * What a folder of lib may import besides itself and the foundation (the files directly in lib): folders, or single files
 * of them. Arrows point down only. A folder without a row may import the foundation only.
 */
export const LIB_EDGES: Readonly<Record<string, readonly string[]>> = {
  api: [
    'auth',
    'stores',
    'sessions',
    'cases',
    'finder',
    'refunds',
    'webhooks',
    'rates',
    'ledger',
    'chains',
    'wallet',
    'i18n',
    'status',
  ],
  stores: ['auth', 'webhooks/record', 'webhooks/address-guard', 'webhooks/resolve', 'webhooks/secret'],
  sessions: [
    'auth/nonces',
    'chains/networks',
    'chains/registry',
    'chains/payment-uri',
    'rates/quote',
    'rates/lock',
    'ledger/post',
    'ledger/postings',
    'webhooks/record',
    'webhooks/events',
  ],
  webhooks: ['auth/nonces'],
  cases: [
    'sessions/settle',
    'sessions/oddities',
    'ledger/post',
    'ledger/postings',
    'chains/networks',
    'chains/payment-uri',
  ],
  finder: ['chains', 'sessions/judge', 'i18n'],
  refunds: [
    'auth/nonces',
    'chains',
    'signer/client',
    'ledger/post',
    'ledger/postings',
    'webhooks/record',
    'webhooks/events',
  ],
  status: ['chains'],
  watcher: ['chains', 'sessions/settle'],
  wallet: ['signer/client', 'chains'],
  // Of the chains only what is pure: tables, address formats, and the reading of drafts.
  signer: [
    'wallet',
    'chains/networks',
    'chains/send',
    'chains/send-draft',
    'chains/evm/send-draft',
    'chains/tron/send-draft',
    'chains/tron/address',
    'chains/solana/send-draft',
    'chains/solana/address',
  ],
  worker: [
    'watcher',
    'sessions',
    'refunds',
    'webhooks',
    'rates',
    'wallet',
    'ledger',
    'chains',
    'auth',
    'stores',
    'status',
  ],
};
