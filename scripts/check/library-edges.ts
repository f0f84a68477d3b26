// The allowed imports between rooms of lib, as a table. A new edge between two rooms is a decision, made by adding it here.

import { INSTALLATION_EDGES } from './library-edges-installation.ts';
import { LEDGER_EDGES } from './library-edges-ledger.ts';
import { MERCHANT_EDGES } from './merchant-edges';

const CONTEXTS = [
  ...['cold-storage', 'merchants', 'money', 'networks', 'payments'],
  ...['payouts', 'refunds', 'sweeps', 'treasury', 'webhooks'],
];

/**
 * What a room of lib may import besides itself and `platform`: rooms, or single files of them. A file belongs to the
 * longest key that prefixes its path. Edges point down only: worker, dashboard and api use the contexts. The contexts
 * use ledger, webhooks, networks and money. Where one context needs another, the table names single files.
 */
export const LIB_EDGES: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  money: [],
  'money/rates': ['money/amounts', 'money/currencies', 'networks/coins'],
  networks: ['money/amounts'],
  i18n: [],
  webhooks: ['merchants/api-keys/nonces'],
  ...LEDGER_EDGES,
  treasury: ['merchants/audit/record', 'networks', 'signer/client'],
  // Only the pure parts of networks: tables, address formats and draft parsing.
  signer: [
    'networks/networks',
    'networks/refund-wallet-name',
    'networks/sending/send',
    'networks/sending/draft',
    'networks/families/drafts',
    'networks/families/evm/batching',
    'networks/families/evm/sending/evm-call',
    'networks/families/evm/sending/read-draft',
    'networks/families/evm/sweeping',
    'networks/families/evm/transfer-data',
    'networks/families/tron/sending/read-draft',
    'networks/families/tron/sweeping/factories',
    'networks/families/tron/sweeping/forwarders',
    'networks/families/tron/sweeping/sweep-transaction',
    'networks/families/solana/sending/read-draft',
    'networks/families/solana/sweeping/sweep-transaction',
    'treasury/wallets',
  ],
  // Evidence and approvals that the signer checks and that web and worker write: pure, and used on both sides.
  'signer/attestations': [],
  ...MERCHANT_EDGES,
  'payments/sessions': [
    'ledger/post',
    'ledger/postings',
    'merchants/api-keys/nonces',
    'merchants/stores/store-status',
    'money',
    'networks/networks',
    'networks/registry',
    'networks/payment-uri',
    'networks/endpoints/request-limits', // How long an idle network may be silent and still be offered.
    'payments/exceptions/states',
    'webhooks/events/events',
    'webhooks/events/record',
  ],
  'payments/checkout': [
    'i18n/translate',
    'merchants/branding/logo-columns',
    'money/amounts',
    'money/currencies',
    'networks',
    'payments/receipts/receipt',
    'payments/sessions/payment-rows',
    'payments/sessions/settle/judge',
    'payments/sessions/view',
  ],
  'payments/receipts': [
    'i18n/translate',
    'merchants/branding/logo-columns',
    'merchants/mail/queue',
    'money/amounts',
    'money/currencies',
    'networks/networks',
    'networks/payment-uri',
    'payments/checkout/facts',
    'payments/checkout/payments',
    'payments/checkout/view',
    'payments/sessions/payment-rows',
    'refunds/destination/payer-browser', // Only the browser that paid may request the receipt by mail.
  ],
  'payments/links': [
    'i18n/locales',
    'merchants/branding/logo-columns',
    'merchants/stores/actor',
    'merchants/stores/store-status',
    'money/amounts',
    'money/currencies',
    'payments/sessions/being-paid',
    'payments/sessions/by-store',
    'payments/sessions/create',
  ],
  'payments/exceptions': [
    'ledger/post',
    'ledger/postings',
    'merchants/audit/record',
    'networks/networks',
    'networks/payment-uri',
    'payments/sessions/settle/exceptions',
    'payments/sessions/settle/settle',
    'refunds/request/exception-refund',
  ],
  'payments/finder': ['i18n/translate', 'money/amounts', 'networks', 'payments/sessions/settle/judge'],
  'payments/watcher': [
    'ledger/reconciliation/report-discrepancy',
    'money/amounts',
    'networks',
    'payments/sessions/settle',
    'signer/attestations/payer-evidence',
  ],
  'payments/totals': [],
  refunds: [
    'ledger/post',
    'ledger/post-cost',
    'ledger/post-payout', // Of a payout that is recovered with the refunds.
    'ledger/post-refund',
    'ledger/postings',
    'ledger/quarantine', // A payment that was signed before a restore takes frozen money.
    'ledger/sources',
    'merchants/api-keys/nonces',
    'merchants/audit',
    'merchants/branding/logo-columns',
    'merchants/mail/queue', // The recipient of the mail about a refund's address.
    'payments/exceptions/states',
    'merchants/members/roles',
    'merchants/stores/store-status',
    'money',
    'networks',
    'payments/receipts/order',
    'payments/sessions/settle/judge',
    'screening/payment',
    'signer/attestations',
    'signer/client',
    'treasury/wallets/address-source',
    'treasury/wallets/open-address-source', // Distinguishes the wallet's deposit addresses from others.
    'webhooks/events/events',
    'webhooks/events/record',
  ],
  // The hook is called and signed like merchants' webhooks.
  screening: ['networks', 'webhooks/delivery/dial', 'webhooks/events/message'],
  payouts: [
    'i18n', // The mail about a rate.
    'ledger',
    'merchants',
    'money/amounts',
    'networks',
    'refunds',
    'screening/payment',
    'screening/policy',
    'signer/attestations',
    'signer/client',
  ],
  'cold-storage': [
    'merchants/audit/record', // A return that an operator gives up.
    'cold-storage/accounts',
    'ledger/balances', // A return that lifts the refund wallet above its mark.
    'ledger/post-cold',
    'money/amounts',
    'networks',
    'refunds',
    'signer/attestations/refund-evidence',
    'signer/client',
    'treasury/wallets/address-source',
  ],
  'cold-storage/accounts': [
    'networks/families/drafts',
    'networks/families/evm',
    'networks/families/solana',
    'networks/families/tron',
    'networks/networks',
    'networks/sending/safe',
    'networks/sending/send',
    'networks/sending/squads',
    'treasury/wallets/derivation',
  ],
  // The program without a network: only the pure parts of networks, as the signer.
  'cold-storage/offline': [
    'cold-storage/accounts',
    'cold-storage/returns/request-file',
    'cold-storage/returns/signed-file',
    'money/amounts',
    'networks/chain',
    'networks/families/drafts',
    'networks/networks',
    'treasury/wallets/derivation',
    'treasury/wallets/ed-account',
    'treasury/wallets/secp-account',
  ],
  sweeps: [
    'cold-storage/decide', // What the refund wallet lacks, by its marks.
    'cold-storage/funds',
    'ledger/coin/stakes', // The sponsor's stake is read with its coin.
    'money/amounts',
    'networks',
    'refunds/sending/follow/followed-chain',
    'screening/policy',
    'screening/sender-sql',
    'signer/client',
    'treasury/wallets/address-source',
  ],
  ...INSTALLATION_EDGES,
  api: [
    'i18n',
    'installation/metrics',
    'installation/status',
    'ledger/proofs/document',
    'ledger/proofs/key',
    'merchants',
    'money',
    'networks',
    'payments',
    'payouts',
    'refunds',
    'webhooks',
  ],
  dashboard: ['api', 'i18n', 'installation', 'ledger', 'screening', 'signer/client', ...CONTEXTS],
  worker: ['installation', 'ledger', 'screening', ...CONTEXTS],
};
