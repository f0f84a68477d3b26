// One run over the sweeps of an EVM chain.

import type { SweepRun } from '@/lib/sweeps/context';
import type { Evm } from './family';

export type EvmRun = SweepRun & { readonly evm: Evm };
