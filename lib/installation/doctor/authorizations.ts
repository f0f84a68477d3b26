// The doctor's findings about authorizations that are signed in advance: where a file is missing, the command that makes it.

import fs from 'node:fs';
import path from 'node:path';
import { PRESIGNED_LINE_BYTES, presignedFile, readPresignedLine } from '@/lib/networks/families/evm/sweeping/presigned';
import { NETWORKS } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';
import type { Finding } from './findings';

const check = 'sweeps';
/** Enough for a while. A later file replaces the first one and has more. */
const USUAL_COUNT = 100_000;

/** One finding for each EVM network that the signer sweeps; none where the signer has the keys of deposit addresses. */
export function authorizationFindings(
  { SWEEP_AUTHORIZATIONS_DIR: directory }: Pick<Config, 'SWEEP_AUTHORIZATIONS_DIR'>,
  { sweeps = [] }: Pick<SignerState, 'sweeps'>,
): readonly Finding[] {
  if (directory === undefined) return [];
  return sweeps.flatMap(({ network, treasury, sponsor, spareSponsor, delegate }): Finding[] => {
    const chainId = NETWORKS.find((row) => `${row.network}@${row.chain}` === network)?.chainId ?? null;
    if (delegate === null || chainId === null) return [];
    const file = presignedFile({ chainId, address: delegate, nonce: 0 });
    const range = rangeOf(path.join(directory, file));
    if (range)
      return [{ check, state: 'ok', message: `${network}: ${file} has authorizations of the addresses ${range}` }];
    const words = [`${network}=${treasury}`, sponsor, spareSponsor, 0, USUAL_COUNT, 'DIRECTORY'];
    const todo = `Run at the machine with the words: node dist/signer.mjs authorizations ${words.join(' ')}`;
    return [
      {
        check,
        state: 'warn',
        message: `${network}: ${directory} has no usable file ${file}, so nothing is swept`,
        todo,
      },
    ];
  });
}

/** The first and the last index of a file; null if it is missing, cut off or no such file. */
function rangeOf(file: string): string | null {
  if (!fs.existsSync(file)) return null;
  const text = fs.readFileSync(file, 'latin1');
  const [first, last] = [text.slice(0, PRESIGNED_LINE_BYTES), text.slice(-PRESIGNED_LINE_BYTES)].map(readPresignedLine);
  const isWhole = first && last && (last.index - first.index + 1) * PRESIGNED_LINE_BYTES === text.length;
  return isWhole ? `${first.index} to ${last.index}` : null;
}
