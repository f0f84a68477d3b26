'use client';
// Who looks at the dashboard: what its navigation, menus and buttons are drawn by. It grants nothing; every page and every
// request asks lib/dashboard/authorize anew.

import { createContext, useContext, type ReactNode } from 'react';

export type StoreRole = 'owner' | 'developer' | 'support' | 'viewer';
export type StoreStatus = 'pending' | 'approved' | 'rejected' | 'suspended';

export type ViewerStore = {
  readonly id: string;
  readonly name: string;
  readonly status: StoreStatus;
  readonly role: StoreRole;
  readonly takesLive: boolean;
  readonly needsFactorLive: boolean;
  readonly needsFactorForStore: boolean;
};

export type Viewer = {
  readonly name: string;
  readonly email: string;
  readonly isOperator: boolean;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
  /** Those that they are a member of, by name. */
  readonly stores: readonly ViewerStore[];
};

const ViewerContext = createContext<Viewer | null>(null);

export function ViewerProvider({ viewer, children }: { viewer: Viewer | null; children: ReactNode }) {
  return <ViewerContext value={viewer}>{children}</ViewerContext>;
}

/** Null on pages for those who are not signed in. */
export const useViewer = (): Viewer | null => useContext(ViewerContext);
