// The SDK that this installation offers to merchants' servers, as packed by the build (scripts/pack-sdk.mjs).

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export const TARBALL = 'stabletill-sdk.tgz';
export const DESCRIPTION = 'stabletill-sdk.json';

/** `integrity`: the SHA-512 of the tarball as npm writes it in a lock file. */
const about = z.object({ name: z.string(), version: z.string(), integrity: z.string() });
export type SdkPackage = z.infer<typeof about>;

const built = (file: string): string => path.join(process.cwd(), 'dist', file);

/** Rejects if the build of this installation is incomplete. */
export const readDescription = async (): Promise<SdkPackage> =>
  about.parse(JSON.parse(await readFile(built(DESCRIPTION), 'utf8')));

export const readTarball = (): Promise<Buffer> => readFile(built(TARBALL));
