// Whether a store may act. In the test environment every store but a suspended one may; in the live environment an approved
// one.

import type { Environment } from '@/lib/platform/ids';
import type { StoreStatus } from '@/prisma/generated/enums';

/** The same as an SQL condition on the store `s`; `environment` is SQL for text or an Environment. */
export const isOpenIn = (environment: string): string =>
  `(s.status = 'approved' OR (${environment} = 'test' AND s.status <> 'suspended'))`;

/** Whether a store of this status may act in the environment. */
export const isStoreOpen = (status: StoreStatus, environment: Environment): boolean =>
  status === 'approved' || (environment === 'test' && status !== 'suspended');

/** SQL condition on the store `s`: it was approved, so it may have live keys and money. A suspended store keeps them. */
export const IS_LIVE = `(s.status IN ('approved', 'suspended'))`;
