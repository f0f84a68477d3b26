// What @sqds/multisig 2.1.4 writes for the facts in the tests beside this file, base64. Made once, in a folder of its own: the package brings
// an RPC client and a second codec, so it is no dependency.

export const BY_SQUADS = {
  /** Made of @solana/web3.js's Message.compile and the instructions of the package. */
  message: '',
  account: '',
  accountWithCollector: '',
  /** The vaults 0 and 3 of the multisig. */
  vaults: ['', ''],
};
