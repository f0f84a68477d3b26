// Whether a store may act: in the test environment whatever its status but suspended, in the live one once it is approved.

import type { Environment } from '@/lib/platform/ids';
import type { StoreStatus } from '@/prisma/generated/enums';

/** The same as a condition on the store `s`; `environment` is SQL for text or an Environment. */
export const isOpenIn = (environment: string): string =>
  `(s.status = 'approved' OR (${environment} = 'test' AND s.status <> 'suspended'))`;

/** Whether a store of this status may act in the environment. */
export const isStoreOpen = (status: StoreStatus, environment: Environment): boolean =>
  status === 'approved' || (environment === 'test' && status !== 'suspended');

/** A condition on the store `s`: it was approved, so that it may have live keys and money. A suspended store has them still. */
export const IS_LIVE = `(s.status IN ('approved', 'suspended'))`;
