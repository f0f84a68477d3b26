// Compiles one Solidity source for a test.

import solc from 'solc';

type Code = { readonly object: string };
type Reference = { readonly start: number; readonly length: number };
type Deployed = Code & { readonly immutableReferences: Readonly<Record<string, readonly Reference[]>> };
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { evm: { bytecode: Code; deployedBytecode: Deployed } }>>;
};

/**
 * A contract's creation code and deployed code, as hex, and the bytes of the latter where each immutable stands, in the order of the
 * source. Throws the compiler's message for a faulty source.
 */
export function compileContract(
  name: string,
  content: string,
  settings: object = {},
): {
  readonly creation: string;
  readonly deployed: string;
  readonly immutables: readonly (readonly number[])[];
} {
  const input = {
    language: 'Solidity',
    sources: { 'source.sol': { content } },
    settings: {
      ...settings,
      outputSelection: {
        '*': {
          '*': ['evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'],
        },
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const fault = output.errors?.find(({ severity }) => severity === 'error');
  if (fault) throw new Error(fault.formattedMessage);
  const { bytecode, deployedBytecode } = output.contracts['source.sol']![name]!.evm;
  const references = Object.entries(deployedBytecode.immutableReferences).toSorted(
    ([one], [other]) => Number(one) - Number(other),
  );
  return {
    creation: `0x${bytecode.object}`,
    deployed: `0x${deployedBytecode.object}`,
    immutables: references.map(([, places]) => places.map(({ start }) => start)),
  };
}
