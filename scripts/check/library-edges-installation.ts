// The part of the table of allowed imports (library-edges.ts) that is about the operation of an installation.

export const INSTALLATION_EDGES: Readonly<Record<string, readonly string[]>> = {
  'installation/status': ['networks'],
  'installation/metrics': [
    'cold-storage/report',
    'installation/status',
    'ledger/proofs/reserves',
    'networks',
    'screening/list/read',
    'sweeps/report',
  ],
  'installation/alarms': [
    'cold-storage/report',
    'installation/freeze/request',
    'installation/status/read',
    'ledger/frozen', // Frozen money that its store has paid out before.
    'merchants/accounts/operator-reset/open-resets',
    'merchants/mail',
    'networks',
    'refunds/destination/exchange-wallets/age',
    'screening/list/read',
    'signer/client',
    'sweeps/report',
    'sweeps/rules',
    'treasury/own-wallets/report',
    'treasury/wallets/address-pool',
    'treasury/wallet-marks',
    'webhooks/delivery/dial', // The alarm webhook is sent and signed like merchants' webhooks.
    'webhooks/events/message',
  ],
  // A restored copy is checked with the invariants of the running database.
  'installation/restores': ['ledger/invariants/check'],
  'installation/freeze': [
    'merchants/audit/record',
    'refunds/settings-check',
    'signer/client',
    'treasury/wallets/address-source',
  ],
  'installation/doctor': [
    'installation/rotation/master-keys',
    'installation/freeze/step',
    'installation/status/worker-steps',
    'ledger/reconciliation/former-wallets',
    'merchants/mail',
    'networks', // Whether an endpoint can pay refunds: the wallet's balances and the cost of a payment.
    'refunds/destination/exchange-wallets/age',
    'refunds/settings-check',
    'signer/client',
    'treasury/wallets',
  ],
  // Every secret and MAC of the database, whichever context makes it.
  'installation/rotation': [
    'merchants/accounts/second-factor/totp',
    'merchants/api-keys/verify-key',
    'merchants/audit/chain',
    'merchants/audit/record',
    'merchants/mail/queue',
    'merchants/stores/webhook-endpoint',
    'networks/families/family',
    'networks/networks',
    'payouts/addresses/notice-mac',
    'refunds/approval/store-received',
    'refunds/destination/payers',
    'refunds/rows',
    'refunds/sending/worker-macs',
    'refunds/view',
    'signer/attestations',
    'webhooks/endpoint/secret',
  ],
  'installation/support': ['installation/doctor'],
  'installation/retention': ['merchants/mail/queue'],
  'installation/setup': [
    'installation/doctor',
    // Whether the wallet's recovery words were written down, as the signer reports.
    'installation/freeze/request',
    'merchants/accounts/setup',
    'merchants/audit/record',
    'merchants/mail',
    'networks/networks',
    'networks/recipients/recipient',
    'networks/refund-wallet-name',
    'networks/registry',
    // Whether a typed treasury wallet is the installation's own address or a contract.
    'refunds/customer-address/kind',
    'refunds/customer-address/own-address',
  ],
};
