// The content of a payment link's page, and the sealed name of each rendered form. The seal ensures that only our page can name a
// session, and the name stays the same however often the form is sent.

import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import type { Config } from '@/lib/platform/config/config';
import { openSecret, sealSecret } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { isPaymentLinkId, randomText } from '@/lib/platform/ids';
import { logoOf, type LogoColumns, type LogoFacts } from '@/lib/merchants/branding/logo-columns';
import type { StoreStatus, StoreTheme } from '@/prisma/generated/enums';
import { sessionStore, SESSION_STORE_COLUMNS, type SessionStoreRow } from '@/lib/payments/sessions/by-store';
import type { SessionStore } from '@/lib/payments/sessions/create/statement';
import { isUsedUp, LINK_COLUMNS, paymentLink, type LinkRow, type PaymentLink } from './link';

/** `off`: switched off. `used`: has reached its number of payments. `paused`: its store is not active. */
export type LinkState = 'open' | 'off' | 'used' | 'paused';

export type ShownLink = {
  readonly link: PaymentLink;
  readonly state: LinkState;
  /** The store name on the hosted page. */
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  /** `#rrggbb`. */
  readonly brandColor: string | null;
  readonly theme: StoreTheme;
  /** An e-mail address or an https address. */
  readonly supportContact: string | null;
  /** The settings that decide what the link's sessions offer. */
  readonly store: SessionStore;
};

/** Null when there is no such link. */
export async function readLink(db: Db, linkId: string): Promise<ShownLink | null> {
  if (!isPaymentLinkId(linkId)) return null;
  const { rows } = await db.query<Row>({ name: 'payment-link-page', text: READ, values: [linkId] });
  const [row] = rows;
  if (!row) return null;
  const link = paymentLink(row);
  return {
    link,
    state: await stateOf(db, link, row.store_status),
    storeName: row.store_name,
    logo: logoOf(row),
    brandColor: row.brand_color,
    theme: row.theme ?? 'auto',
    supportContact: row.support_contact,
    store: sessionStore(link, row),
  };
}

async function stateOf(db: Db, link: PaymentLink, store: StoreStatus): Promise<LinkState> {
  if (!isStoreOpen(store, link.environment)) return 'paused';
  if (!link.isActive) return 'off';
  return (await isUsedUp(db, link)) ? 'used' : 'open';
}

type Settings = Pick<Config, 'MASTER_KEYS'>;

/** The seal of a new form. */
export const newFormSeal = ({ MASTER_KEYS }: Settings, linkId: string): string =>
  sealSecret(MASTER_KEYS, randomText(), sealPurpose(linkId)).toString('base64url');

/** The name in a form's seal; null for a seal that no page of this link made. */
export function formName({ MASTER_KEYS }: Settings, linkId: string, seal: string): string | null {
  try {
    return openSecret(MASTER_KEYS, Buffer.from(seal, 'base64url'), sealPurpose(linkId));
  } catch {
    return null;
  }
}

const sealPurpose = (linkId: string): string => `form of the payment link ${linkId}`;

type Row = LinkRow &
  LogoColumns &
  SessionStoreRow & {
    store_status: StoreStatus;
    store_name: string;
    brand_color: string | null;
    theme: StoreTheme | null;
    support_contact: string | null;
  };

const READ = `
SELECT ${LINK_COLUMNS}, ${SESSION_STORE_COLUMNS}, st.status AS store_status, coalesce(k.display_name, st.name) AS store_name, k.brand_color, k.theme,
       k.support_contact, k.logo_hash, k.logo_width, k.logo_height
  FROM payment_links l JOIN stores st ON st.id = l.store_id LEFT JOIN store_branding k ON k.store_id = l.store_id
 WHERE l.id = $1`;
