// Reads compiled contracts instruction by instruction, for tests that forbid some of them.

const [PUSH1, PUSH32] = [0x60, 0x7f];
export const CALL = 0xf1;
export const CREATE2 = 0xf5;

/** Instructions that keep state, run other code in the contract's name, or create and end contracts. CREATE2 is not among them. */
export const UNSAFE_INSTRUCTIONS: ReadonlyMap<number, string> = new Map([
  [0x54, 'SLOAD'],
  [0x55, 'SSTORE'],
  [0x5c, 'TLOAD'],
  [0x5d, 'TSTORE'],
  [0xf0, 'CREATE'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xff, 'SELFDESTRUCT'],
]);

/** Every instruction of a program in hex, with or without 0x, without the data that instructions push. */
export function instructionsOf(code: string): number[] {
  const bytes = Buffer.from(code.replace(/^0x/, ''), 'hex');
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const instruction = bytes[at]!;
    found.push(instruction);
    if (instruction >= PUSH1 && instruction <= PUSH32) at += instruction - PUSH1 + 1;
  }
  return found;
}
