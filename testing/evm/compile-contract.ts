// Compiles one Solidity source for a test.

import solc from 'solc';

type Code = { readonly object: string };
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { evm: { bytecode: Code; deployedBytecode: Code } }>>;
};

/** A contract's creation code and deployed code, as hex. Throws the compiler's message for a faulty source. */
export function compileContract(
  name: string,
  content: string,
  settings: object = {},
): { readonly creation: string; readonly deployed: string } {
  const input = {
    language: 'Solidity',
    sources: { 'source.sol': { content } },
    settings: {
      ...settings,
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const fault = output.errors?.find(({ severity }) => severity === 'error');
  if (fault) throw new Error(fault.formattedMessage);
  const { bytecode, deployedBytecode } = output.contracts['source.sol']![name]!.evm;
  return { creation: `0x${bytecode.object}`, deployed: `0x${deployedBytecode.object}` };
}
