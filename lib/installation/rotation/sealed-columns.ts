// Every column that holds secrets sealed under MASTER_KEYS. A key may go only when no row of these is under it, so a test compares the list
// with the schema and with every file that seals.

import { totpPurpose } from '@/lib/merchants/accounts/second-factor/totp';
import { apiSecretPurpose } from '@/lib/merchants/api-keys/verify-key';
import { mailPurpose } from '@/lib/merchants/mail/queue';
import type { Environment } from '@/lib/platform/ids';
import { claimPurpose } from '@/lib/refunds/view';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';

/** A row's id, and the columns that `facts` names. */
export type Facts = { readonly id: string } & Readonly<Record<string, unknown>>;

export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The type of the table's `id`. */
  readonly idType: 'uuid' | 'text' | 'int' | 'bigint';
  /** `base64`: in a text column, where the empty text is none. */
  readonly encoding: 'bytes' | 'base64';
  /** Columns that the purpose is made of, besides `id`. */
  readonly facts: readonly string[];
  readonly purposeOf: (row: Facts) => string;
  /** The file that seals it. */
  readonly sealedBy: string;
};

const endpoint = {
  table: 'webhook_endpoints',
  idType: 'uuid',
  encoding: 'bytes',
  facts: ['store_id', 'environment'],
  purposeOf: (row: Facts) => webhookSecretPurpose(row.store_id as string, row.environment as Environment),
  sealedBy: 'lib/merchants/stores/webhook-endpoint.ts',
} as const;

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...endpoint, column: 'secret_ciphertext' },
  { ...endpoint, column: 'previous_secret_ciphertext' },
  {
    table: 'api_keys',
    column: 'secret_ciphertext',
    idType: 'int',
    encoding: 'bytes',
    facts: ['key_hash'],
    purposeOf: (row) => apiSecretPurpose(row.key_hash as Buffer),
    sealedBy: 'lib/merchants/api-keys/keys.ts',
  },
  {
    table: 'users',
    column: 'totp_ciphertext',
    idType: 'uuid',
    encoding: 'bytes',
    facts: [],
    purposeOf: ({ id }) => totpPurpose(id),
    sealedBy: 'lib/merchants/accounts/second-factor/totp.ts',
  },
  {
    table: 'refunds',
    column: 'claim_ciphertext',
    idType: 'text',
    encoding: 'bytes',
    facts: [],
    purposeOf: ({ id }) => claimPurpose(id),
    sealedBy: 'lib/refunds/customer-address/claim-links.ts',
  },
  {
    table: 'mails',
    column: 'body',
    idType: 'bigint',
    encoding: 'base64',
    facts: ['recipient'],
    purposeOf: (row) => mailPurpose(row.recipient as string),
    sealedBy: 'lib/merchants/mail/queue.ts',
  },
];
