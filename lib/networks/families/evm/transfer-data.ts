// The data of a token transfer on EVM networks and TRON, by hand: the signer loads no chain SDK, and ethers would add 59 kB to the
// hosted page's script. The signer's readers and the page's script share it; the worker's drafts come from ethers and tronweb. Pure.

/** The first four bytes of the hash of transfer(address,uint256), hex. */
export const TRANSFER_SELECTOR = 'a9059cbb';
const WORD = 64;

/** An address or an integer as an argument of a call: 32 bytes in hex. */
export const abiWord = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.toLowerCase()).padStart(WORD, '0');

/** The call's data, hex without 0x. `to`: the twenty bytes of the recipient, hex without 0x. */
export const transferData = (to: string, amount: bigint): string => TRANSFER_SELECTOR + abiWord(to) + abiWord(amount);
