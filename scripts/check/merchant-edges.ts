// The rows of library-edges.ts about merchants: their stores, keys, accounts, members and notifications.

export const MERCHANT_EDGES = {
  'merchants/audit': [],
  'merchants/mail': ['i18n'],
  'merchants/stores': [
    'merchants/audit',
    'merchants/branding/branding',
    'merchants/mail/queue',
    'money/amounts',
    'webhooks/delivery/address-guard',
    'webhooks/delivery/resolve',
    'webhooks/endpoint/pause',
    'webhooks/endpoint/secret',
  ],
  'merchants/branding': ['merchants/stores'],
  'merchants/api-keys': [
    'merchants/mail/queue',
    'merchants/stores/actor',
    'merchants/stores/fields',
    'merchants/stores/owners',
    'merchants/stores/store-status',
  ],
  'merchants/accounts': [
    'i18n',
    'merchants/audit',
    'merchants/mail/queue',
    'merchants/stores/store-status',
    'signer/attestations/refund-approval',
  ],
  'merchants/members': [
    'merchants/accounts/links',
    'merchants/accounts/sign-in/logins',
    'merchants/accounts/sign-in/throttle',
    'merchants/accounts/users',
    'merchants/api-keys/verify-key',
    'merchants/audit/record',
    'merchants/mail/queue',
    'merchants/stores/actor',
    'merchants/stores/owners',
  ],
  'merchants/notifications': [
    'merchants/mail/queue',
    'merchants/mail/texts',
    'merchants/members/roles',
    'money/amounts',
    'webhooks/delivery/schedule', // The mail about an undelivered event mentions it.
  ],
} as const satisfies Record<string, readonly string[]>;
