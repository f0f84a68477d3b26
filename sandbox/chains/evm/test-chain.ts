// A local chain of an EVM network for one test: it mines for transactions and by hand only, and stopping it removes its files.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LocalNetwork } from '../local-network';
import { EVM_NETWORKS, startEvm, type EvmRow } from './start';

const NEVER_MS = 2_000_000_000;

export async function startTestEvm(row: EvmRow = EVM_NETWORKS[0]!): Promise<LocalNetwork> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-evm-'));
  const onFault = (error: Error) => {
    throw error;
  };
  const chain = await startEvm({ ...row, blockMs: NEVER_MS }, { directory, onFault });
  return {
    ...chain,
    stop: async () => {
      await chain.stop();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
