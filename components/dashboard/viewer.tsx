'use client';
// The viewer of the dashboard: navigation, menus and buttons depend on it. It grants nothing; every page and every
// request checks lib/dashboard/authorize again.

import { createContext, useContext, type ReactNode } from 'react';

type StoreRole = 'owner' | 'developer' | 'support' | 'viewer';
type StoreStatus = 'pending' | 'approved' | 'rejected' | 'suspended';

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
  /** The stores that the viewer is a member of, by name. */
  readonly stores: readonly ViewerStore[];
};

const ViewerContext = createContext<Viewer | null>(null);

export function ViewerProvider({ viewer, children }: { viewer: Viewer | null; children: ReactNode }) {
  return <ViewerContext value={viewer}>{children}</ViewerContext>;
}

/** Null on pages for visitors who are not signed in. */
export const useViewer = (): Viewer | null => useContext(ViewerContext);
