// Finds the key of a bearer value and caches it for a limited time. The statement of a request's effect checks the key again,
// so a revocation acts at once on effects and within a second on everything else.

import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Context } from '@/lib/platform/context';
import { openSecret, sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { isOpenIn } from '@/lib/merchants/stores/store-status';

/** How long a key is used from the cache. */
const TRUSTED_MILLISECONDS = 1000;
const MAX_KEYS = 10_000;

/** The scopes of a key whose maker names none: what a shop needs. */
export const USUAL_SCOPES = ['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write'] as const;
export const SCOPES = [...USUAL_SCOPES, 'payouts:read', 'payouts:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** A key with the store settings that a request needs. */
export type MerchantKey = {
  readonly id: number;
  readonly storeId: string;
  readonly environment: Environment;
  readonly secret: string;
  readonly scopes: readonly string[];
  readonly allowedAddresses: readonly string[];
  /** Whether it refuses signature version 1, which does not cover method and path. */
  readonly requiresSignatureV2: boolean;
  readonly storeActive: boolean;
  /** Tokens that a USD session of this store offers. */
  readonly usdCurrencies: readonly string[];
  /** Networks that its sessions offer; an empty list means all. */
  readonly networks: readonly string[];
  /** Pairs of network and token that the operator allows, such as `ethereum-USDC`; an empty list means all. */
  readonly allowedPairs: readonly string[];
  /** The owner's rules by the customer's country (lib/platform/countries/rules). */
  readonly countryRules: string;
  readonly acceptsOtherToken: boolean;
  /** The token that prices in other currencies are converted into, and the surcharge on the rate in hundredths of a percent. */
  readonly settlementCurrency: string;
  readonly spreadBasisPoints: number;
};

/** Returns synchronously for a cached key. */
export type FindKey = (apiKey: string) => MerchantKey | null | Promise<MerchantKey | null>;

const FIND = {
  name: 'find-api-key',
  text: `SELECT k.id, k.store_id, k.environment, k.secret_ciphertext, k.scopes, k.allowed_addresses, k.requires_signature_v2,
                ${isOpenIn('k.environment')} AS store_active, s.usd_currencies, s.networks, s.allowed_pairs, s.country_rules, s.accepts_other_token,
                s.settlement_currency, s.spread_basis_points
         FROM api_keys k JOIN stores s ON s.id = k.store_id
         WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
};

/** The purpose under which an API secret is sealed. It names the key, so that the secret opens in no other row. */
export const apiSecretPurpose = (keyHash: Uint8Array): string => `api-secret:${Buffer.from(keyHash).toString('hex')}`;

/** A finder that queries the database at most once a second per key, however many requests wait for it. */
export function openKeyFinder({ pool, config }: Pick<Context, 'pool' | 'config'>): FindKey {
  const found = new LRUCache<string, MerchantKey>({
    max: MAX_KEYS,
    ttl: TRUSTED_MILLISECONDS,
    fetchMethod: async (apiKey) => {
      const keyHash = sha256(apiKey);
      const { rows } = await pool.query<Row>({ ...FIND, values: [keyHash] });
      return rows[0]
        ? fromRow(rows[0], openSecret(config.MASTER_KEYS, rows[0].secret_ciphertext, apiSecretPurpose(keyHash)))
        : undefined;
    },
  });
  return (apiKey) => {
    if (!/^ak_(live|test)_[0-9A-Za-z]{20,64}$/.test(apiKey)) return null;
    return found.get(apiKey) ?? found.fetch(apiKey).then((key) => key ?? null);
  };
}

type Row = {
  id: number;
  store_id: string;
  environment: Environment;
  secret_ciphertext: Buffer;
  scopes: string[];
  allowed_addresses: string[];
  requires_signature_v2: boolean;
  store_active: boolean;
  usd_currencies: string[];
  networks: string[];
  allowed_pairs: string[];
  country_rules: string;
  accepts_other_token: boolean;
  settlement_currency: string;
  spread_basis_points: number;
};

const fromRow = (row: Row, secret: string): MerchantKey => ({
  id: row.id,
  storeId: row.store_id,
  environment: row.environment,
  secret,
  scopes: row.scopes,
  allowedAddresses: row.allowed_addresses,
  requiresSignatureV2: row.requires_signature_v2,
  storeActive: row.store_active,
  usdCurrencies: row.usd_currencies,
  networks: row.networks,
  allowedPairs: row.allowed_pairs,
  countryRules: row.country_rules,
  acceptsOtherToken: row.accepts_other_token,
  settlementCurrency: row.settlement_currency,
  spreadBasisPoints: row.spread_basis_points,
});

/** Throws invalid_api_key when the key does not allow the source address. */
export function checkSourceAddress(key: MerchantKey, address: string): void {
  if (key.allowedAddresses.length > 0 && !isInRanges(address, key.allowedAddresses))
    throw new ServiceError('invalid_api_key');
}

/** Whether an address lies in one of these CIDR ranges; IPv4 written as IPv6 counts as IPv4. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(
      range.includes('/') ? range : `${range}/${ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128}`,
    );
    return parsed.kind() === network.kind() && parsed.match(network, bits);
  });
}
