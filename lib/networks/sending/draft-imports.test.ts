import path from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('reading and signing drafts loads no chain SDK and no network code', async () => {
  const { metafile } = await build({
    entryPoints: [path.join(import.meta.dirname, 'draft.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: path.resolve(import.meta.dirname, '../../../tsconfig.json'),
    logLevel: 'silent',
  });
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  expect([...packages].toSorted()).toEqual(['@noble/curves', '@noble/hashes', '@scure/base', 'lru-cache']);
});
