import path from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

test('the signer loads no database, no chain SDK and no network client', async () => {
  const built = await build({
    entryPoints: [path.join(root, 'lib/signer/main.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: path.join(root, 'tsconfig.json'),
    logLevel: 'silent',
  });
  const files = Object.keys(built.metafile.inputs);
  const packages = new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  // The search finds the modules that are known to be loaded, so it would find the forbidden ones too.
  expect(packages).toContain('@scure/bip32');
  for (const forbidden of [
    'ethers',
    'tronweb',
    '@solana/web3.js',
    '@solana/spl-token',
    'pg',
    '@prisma/client',
    'undici',
    'next',
    // Only a signer whose settings name an HSM loads it (hsm/pkcs11.ts).
    'pkcs11js',
  ]) {
    expect(packages).not.toContain(forbidden);
  }
  expect(files.some((file) => file.endsWith('lib/platform/database/db.ts'))).toBe(false);
  // Of the networks only the table with its rows, the address formats and the draft parsers; nothing that calls a node.
  const ofChains = files.flatMap((file) => /(?:^|\/)lib\/networks\/(.+)\.ts$/.exec(file)?.[1] ?? []);
  expect(ofChains.toSorted()).toEqual([
    'coins',
    'families/drafts',
    'families/evm/batching/payout-batch',
    'families/evm/batching/payout-batch-code',
    'families/evm/rlp',
    'families/evm/sending/evm-call',
    'families/evm/sending/read-draft',
    'families/evm/sweeping/presigned',
    'families/evm/sweeping/sweep-delegate',
    'families/evm/sweeping/sweep-delegate-code',
    'families/evm/sweeping/sweep-transaction',
    'families/evm/transfer-data',
    'families/solana/address',
    'families/solana/instructions',
    'families/solana/message',
    'families/solana/sending/read-draft',
    'families/solana/sweeping/sweep-transaction',
    'families/tron/address',
    'families/tron/protobuf',
    'families/tron/sending/read-draft',
    'families/tron/sweeping/factories',
    'families/tron/sweeping/forwarders',
    'families/tron/sweeping/forwarders-code',
    'families/tron/sweeping/sweep-transaction',
    'networks',
    'refund-wallet-name',
    'rows/common',
    'rows/evm',
    'rows/evm-optional',
    'rows/solana',
    'rows/tron',
    'sending/draft',
    'sending/send',
  ]);
  const builtins = new Set(
    Object.values(built.metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external).map(({ path: name }) => name.replace(/^node:/, '')),
    ),
  );
  // The two with which it listens, on a Unix socket or with certificates (transport/server.ts).
  for (const server of ['net', 'tls']) expect(builtins).toContain(server);
  for (const network of ['http', 'https', 'http2', 'dgram', 'dns']) expect(builtins).not.toContain(network);
});
