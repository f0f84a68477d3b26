// A store's logo: a small picture, stored in the database and served from our own origin under its hash. It can be cached for
// ever, and the page contacts no other host for it.

import { createHash } from 'node:crypto';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readPicture, type PictureType } from './picture';
import { withoutMetadata } from './picture-metadata';

/** A logo is shown 32 pixels high, so this is ample. The migration has the same number. */
export const LARGEST_LOGO = 64 * 1024;
/** A few bytes can decompress to gigabytes of pixels in the customer's browser. */
const MAX_PIXELS_A_SIDE = 1024;
/** Longer shapes would be unrecognisable at the displayed size. */
const STEEPEST = 8;

/**
 * Sets the logo without its metadata, or removes it when `bytes` is null. Throws INVALID_PARAMETER unless it is a PNG, JPEG or
 * WebP within limits.
 */
export const setStoreLogo = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { readonly storeId: string; readonly bytes: Uint8Array | null },
): Promise<{ readonly hash: string } | null> =>
  transaction(pool, (tx) => setStoreLogoIn(tx, { ...of, now: clock.now() }));

/** The same within the caller's transaction. */
export async function setStoreLogoIn(
  tx: Tx,
  { storeId, bytes, now }: { readonly storeId: string; readonly bytes: Uint8Array | null; readonly now: Date },
): Promise<{ readonly hash: string } | null> {
  const logo = bytes && checkLogo(bytes);
  const data = {
    logo: logo && new Uint8Array(logo.bytes),
    logoType: logo?.type ?? null,
    logoHash: logo?.hash ?? null,
    logoWidth: logo?.width ?? null,
    logoHeight: logo?.height ?? null,
    updatedAt: now,
  };
  const prisma = await prismaOn(tx);
  await prisma.storeBranding.upsert({
    where: { storeId },
    create: { storeId, ...data },
    update: data,
    select: { storeId: true },
  });
  return logo && { hash: logo.hash };
}

/** The picture of this hash, or null when no store uses it. */
export async function readLogo(db: Db, hash: string): Promise<{ bytes: Buffer; type: PictureType } | null> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  const { rows } = await db.query<{ bytes: Buffer; type: PictureType }>(
    `SELECT logo AS bytes, logo_type AS type FROM store_branding
     WHERE logo_hash = $1 AND logo IS NOT NULL AND logo_type IS NOT NULL LIMIT 1`,
    [hash],
  );
  return rows[0] ?? null;
}

function checkLogo(bytes: Uint8Array) {
  if (bytes.length > LARGEST_LOGO) refuse(`The logo must be at most ${LARGEST_LOGO / 1024} kB.`);
  const picture =
    readPicture(bytes) ?? refuse('The logo must be a whole PNG, JPEG or WebP picture that does not move.');
  const { width, height } = picture;
  if (Math.max(width, height) > MAX_PIXELS_A_SIDE || Math.max(width / height, height / width) > STEEPEST) {
    refuse(
      `The logo must be at most ${MAX_PIXELS_A_SIDE} pixels wide and high, and at most ${STEEPEST} times as wide as high.`,
    );
  }
  const cleaned = withoutMetadata(bytes, picture.type) ?? refuse('The logo is damaged. Save it again as a PNG.');
  return { ...picture, bytes: cleaned, hash: createHash('sha256').update(cleaned).digest('hex') };
}

function refuse(message: string): never {
  throw new ServiceError('INVALID_PARAMETER', { param: 'logo', message });
}
