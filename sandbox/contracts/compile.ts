// Compiles the sandbox's contracts to artifacts.json. `npx tsx sandbox/contracts/compile.ts` writes that file; artifacts.test.ts
// checks that both are equal, so the sandbox starts without a compiler.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Interface } from 'ethers';

/** The interface in ethers' human-readable form, and the code that deploys the contract. */
export type Artifact = { abi: string[]; bytecode: string };

const DIRECTORY = import.meta.dirname;
const SOURCES = ['BatchPayer.sol', 'LegacyStable.sol', 'ModernStable.sol'];

type Compiled = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: object[]; evm: { bytecode: { object: string } } }>>;
};
type Compiler = { compile(input: string, callbacks: { import(name: string): { contents: string } }): string };

/** All contracts by name. Throws with the compiler's message when one does not compile. */
export function compileContracts(): Record<string, Artifact> {
  const require = createRequire(import.meta.url);
  const compiler = require('solc') as Compiler;
  const input = JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(SOURCES.map((name) => [name, { content: read(path.join(DIRECTORY, name)) }])),
    settings: {
      // OpenZeppelin 5 needs cancun; without the metadata trailer the code depends on nothing but the sources.
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  });
  const output = JSON.parse(
    compiler.compile(input, { import: (name) => ({ contents: read(require.resolve(name)) }) }),
  ) as Compiled;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return Object.fromEntries(
    SOURCES.flatMap((source) => Object.entries(output.contracts[source] ?? {}))
      // Base contracts have no code of their own.
      .filter(([, { evm }]) => evm.bytecode.object !== '')
      .map(([name, { abi, evm }]) => [
        name,
        { abi: Interface.from(abi as never).format(), bytecode: `0x${evm.bytecode.object}` },
      ]),
  );
}

const read = (file: string): string => fs.readFileSync(file, 'utf8');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = path.join(DIRECTORY, 'artifacts.json');
  fs.writeFileSync(file, `${JSON.stringify(compileContracts(), null, 2)}\n`);
  console.log(`wrote ${file}`);
}
