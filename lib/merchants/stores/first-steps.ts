// The first steps of a store, from sign-up to its first live payment. Each is derived from the database, so a step cannot be
// ticked by hand. Only whether the list is hidden is stored, once for all members.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';

type FirstStep = 'branding' | 'payment' | 'webhook' | 'approval';
export type FirstSteps = { readonly isHidden: boolean; readonly done: Readonly<Record<FirstStep, boolean>> };

/** The caller must have authorized the user for the store. */
export async function readFirstSteps(db: Db, storeId: string): Promise<FirstSteps> {
  const { rows } = await db.query<{ isHidden: boolean } & Record<FirstStep, boolean>>({ ...READ, values: [storeId] });
  const [row] = rows;
  if (!row) throw new Error(`there is no store ${storeId}`);
  const { isHidden, ...done } = row;
  return { isHidden, done };
}

/** Hides the list, or shows it again. */
export async function hideFirstSteps(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, isHidden }: { readonly storeId: string; readonly isHidden: boolean },
): Promise<void> {
  const data = { firstStepsHiddenAt: isHidden ? clock.now() : null };
  await (await prismaOn(pool)).store.updateMany({ where: { id: storeId }, data });
}

/**
 * An operator decides about a store by its website and description, and cannot approve it without a contact
 * (STORE_WITHOUT_CONTACT). A store that has all three counts as waiting for approval.
 */
const READ = {
  name: 'first-steps',
  text: `SELECT s.first_steps_hidden_at IS NOT NULL AS "isHidden",
           EXISTS (SELECT FROM store_branding l WHERE l.store_id = s.id AND l.support_contact IS NOT NULL
             AND coalesce(l.logo_hash, l.brand_color, l.display_name) IS NOT NULL) AS branding,
           EXISTS (SELECT FROM sessions p WHERE p.store_id = s.id AND p.environment = 'test'
             AND p.status = 'completed' AND p.completed_network IS NOT NULL) AS payment,
           EXISTS (SELECT FROM webhook_endpoints e WHERE e.store_id = s.id) AS webhook,
           s.status IN ('approved', 'suspended')
             OR (s.status = 'pending' AND s.website <> '' AND s.description <> ''
               AND EXISTS (SELECT FROM store_branding c WHERE c.store_id = s.id AND c.support_contact IS NOT NULL)
             ) IS TRUE AS approval
         FROM stores s WHERE s.id = $1`,
};
