// What the programs load: the chains' libraries are neither in the reader of drafts nor loaded at the start of any program.

import path from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

const bundle = async (entry: string, options: BuildOptions = {}): Promise<Metafile> => {
  const { metafile } = await build({
    entryPoints: [path.join(root, entry)],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: path.join(root, 'tsconfig.json'),
    logLevel: 'silent',
    outdir: 'out',
    ...options,
  });
  return metafile as Metafile;
};

test('reading and signing drafts loads no chain SDK and no network code', async () => {
  const { inputs } = await bundle('lib/networks/sending/draft.ts');
  const packages = new Set(
    Object.keys(inputs).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  expect([...packages].toSorted()).toEqual(['@noble/curves', '@noble/hashes', '@scure/base', 'lru-cache']);
});

test.each(['lib/worker/main.ts', 'server.ts'])(
  'loads the chains’ libraries with the first draft, not with the program (%s)',
  async (entry) => {
    const { outputs } = await bundle(entry, { packages: 'external', conditions: ['react-server'] });
    const imports = Object.values(outputs).flatMap((one) => one.imports);
    const named = (kind: string): string[] => imports.filter((one) => one.kind === kind).map((one) => one.path);
    const lazily = ['@solana/spl-token', '@solana/web3.js', 'ethers/abi', 'tronweb'];
    expect(named('dynamic-import')).toEqual(expect.arrayContaining(lazily));
    // The search finds what is loaded at the start, so it would find the libraries too.
    expect(named('import-statement')).toContain('ethers/address');
    for (const name of [...lazily, 'ethers']) expect(named('import-statement')).not.toContain(name);
  },
);
