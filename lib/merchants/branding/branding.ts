// The branding of a store on its customer pages: name, colour, theme, support contact, and the origins that may embed the hosted page. The
// logo has its own file; this code handles only its hash.

import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { checkText } from '@/lib/merchants/stores/fields';

export type Theme = 'auto' | 'light' | 'dark';

export type StoreBranding = {
  /** Shown instead of the store's name. */
  readonly displayName: string | null;
  /** `#rrggbb`, lower case. */
  readonly brandColor: string | null;
  readonly theme: Theme;
  /** An e-mail address or an https address. */
  readonly supportContact: string | null;
  /** Origins as browsers write them. */
  readonly embedOrigins: readonly string[];
  readonly logo: { readonly hash: string; readonly width: number; readonly height: number } | null;
};

/** The branding of a store that has not set any. */
export const DEFAULT_BRANDING: StoreBranding = {
  displayName: null,
  brandColor: null,
  theme: 'auto',
  supportContact: null,
  embedOrigins: [],
  logo: null,
};

/** The branding of a store, or the default branding. */
export async function readStoreBranding(db: Db, storeId: string): Promise<StoreBranding> {
  const prisma = await prismaOn(db);
  const row = await prisma.storeBranding.findUnique({
    where: { storeId },
    select: {
      displayName: true,
      brandColor: true,
      theme: true,
      supportContact: true,
      embedOrigins: true,
      logoHash: true,
      logoWidth: true,
      logoHeight: true,
    },
  });
  if (!row) return DEFAULT_BRANDING;
  const { logoHash: hash, logoWidth: width, logoHeight: height, ...branding } = row;
  return { ...branding, logo: hash === null || width === null || height === null ? null : { hash, width, height } };
}

/**
 * Sets everything but the logo and returns the whole branding. Fields of `wish` that are absent, null or empty are cleared. Throws
 * INVALID_PARAMETER that names the faulty field. The store must exist.
 */
export const setStoreBranding = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { readonly storeId: string; readonly wish: unknown },
): Promise<StoreBranding> => transaction(pool, (tx) => setStoreBrandingIn(tx, { ...of, now: clock.now() }));

/** The same within the caller's transaction. */
export async function setStoreBrandingIn(
  tx: Tx,
  { storeId, wish, now }: { readonly storeId: string; readonly wish: unknown; readonly now: Date },
): Promise<StoreBranding> {
  const branding = checkBranding(wish);
  const data = { ...branding, updatedAt: now };
  const prisma = await prismaOn(tx);
  await prisma.storeBranding.upsert({
    where: { storeId },
    create: { storeId, ...data },
    update: data,
    select: { storeId: true },
  });
  return readStoreBranding(tx, storeId);
}

/** The fields that the preview shows before they are saved. */
const DRAFTED = ['displayName', 'brandColor', 'theme', 'supportContact'] as const;
export type BrandingDraft = Readonly<Partial<Record<(typeof DRAFTED)[number], string | undefined>>>;

/** The saved branding with the fields of an unsaved form. An absent or invalid field keeps its saved value. */
export function draftBranding(saved: StoreBranding, draft: BrandingDraft): StoreBranding {
  let branding = saved;
  for (const field of DRAFTED) {
    if (draft[field] === undefined) continue;
    try {
      branding = { ...branding, [field]: checkBranding({ [field]: draft[field] })[field] };
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'INVALID_PARAMETER')) throw error;
    }
  }
  return branding;
}

/** As long as a store's own name. */
const LONGEST_NAME = 100;
const LONGEST_CONTACT = 254;
/** Each is part of a header of every answer. The migration has the same number. */
export const MAX_EMBED_ORIGINS = 10;

const text = z
  .string()
  .nullish()
  .transform((given) => (given?.trim() ? given.trim() : null));

const brandingSchema = z.object({
  displayName: text.transform((name) => name && checkText('display_name', name, LONGEST_NAME)),
  brandColor: text
    .transform((color) => color?.toLowerCase() ?? null)
    .pipe(
      z
        .string()
        .regex(/^#[0-9a-f]{6}$/)
        .nullable(),
    ),
  theme: z
    .enum(['auto', 'light', 'dark'])
    .nullish()
    .transform((theme) => theme ?? 'auto'),
  supportContact: text.transform((contact) => contact && checkContact(contact)),
  embedOrigins: z
    .array(z.string().max(300))
    .max(MAX_EMBED_ORIGINS)
    .nullish()
    .transform((origins) => [...new Set((origins ?? []).map(checkOrigin))]),
});

type Fault = { readonly param: string; readonly message: string };

const RULES: Readonly<Record<keyof z.output<typeof brandingSchema>, Fault>> = {
  displayName: { param: 'display_name', message: 'display_name must be text.' },
  brandColor: { param: 'brand_color', message: 'brand_color must be a colour such as #1d55c9.' },
  theme: { param: 'theme', message: 'theme must be auto, light or dark.' },
  supportContact: {
    param: 'support_contact',
    message: 'support_contact must be an e-mail address or an https address.',
  },
  embedOrigins: {
    param: 'embed_origins',
    message: `embed_origins must be a list of at most ${MAX_EMBED_ORIGINS} https origins.`,
  },
};

function checkBranding(wish: unknown) {
  const read = brandingSchema.safeParse(wish);
  if (read.success) return read.data;
  const field = read.error.issues[0]?.path[0];
  const fault = Object.entries(RULES).find(([name]) => name === field)?.[1];
  throw new ServiceError(
    'INVALID_PARAMETER',
    fault ?? { param: 'branding', message: 'The branding must be an object.' },
  );
}

/** An address that a customer can write to, or a page that they can open. The page links to nothing else. */
function checkContact(contact: string): string {
  const isMail = /^[^\s@"<>?&#%:/\\,;()[\]]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(contact);
  const url = URL.canParse(contact) ? new URL(contact) : null;
  const isPage = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (contact.length > LONGEST_CONTACT || !(isMail || isPage)) {
    throw new ServiceError('INVALID_PARAMETER', RULES.supportContact);
  }
  return isMail ? checkText('support_contact', contact, LONGEST_CONTACT) : (url as URL).href;
}

/** One https origin, in a browser's spelling. Plain http is allowed only for the machine of a developer's shop. */
function checkOrigin(given: string): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : null;
  const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  // A star, comma, semicolon or quote would change the meaning of the policy that contains the origin.
  const isPlain = url !== null && /^[a-z0-9.:[\]-]+$/.test(url.host);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isOrigin || !isPlain || !isSafe) {
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'embed_origins',
      message: 'embed_origins must be https origins without a path, like https://shop.example.',
    });
  }
  return url.origin;
}

const isLoopback = (host: string): boolean =>
  host === '127.0.0.1' || host === '[::1]' || host === 'localhost' || host.endsWith('.localhost');
