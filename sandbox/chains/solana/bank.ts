// Money on the local Solana chain: the faucet's coin, the tokens' issuer, and the transactions of wallets that hold tokens. The
// sandbox's payer and the tests use it for their payments; each is a real signed transaction of the real programs.

import {
  generateKeyPairSigner,
  getAddressEncoder,
  lamports as toLamports,
  type Address,
  type EncodedAccount,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getMintToInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import { BLOCKHASH_LIFETIME } from './blocks';
import type { Landed } from './landed';
import type { Ledger } from './ledger';
import { signTransaction } from './signing';
import { readMint, TOKEN_PROGRAM } from './token-data';
import { errorText } from './transaction-error';
import { SYSTEM_PROGRAM } from './vm';
import type { WireTransaction } from './wire';

export type TokenTransfer = {
  readonly from: KeyPairSigner;
  /** The recipient's wallet. Its associated token account is created if missing. */
  readonly to: Address;
  readonly mint: Address;
  readonly amount: bigint;
  /** Another token account of the recipient, instead of the associated one. */
  readonly account?: Address;
};

const SOL = 1_000_000_000n;
const FAUCET_LAMPORTS = 4_000_000n * SOL;
const HOLDER_LAMPORTS = 100n * SOL;
/** Enough to create two accounts and pay both. It costs nothing without a price. */
const LEAST_UNITS = 200_000;
const DISTINCT_LIMITS = 1_000_000;
const MINT_SIZE = 82;
const TOKEN_ACCOUNT_SIZE = 165n;

export class Bank {
  readonly ledger: Ledger;
  readonly faucet: KeyPairSigner;
  /** May mint and freeze every token here. */
  readonly issuer: KeyPairSigner;
  #sent = 0;

  private constructor(ledger: Ledger, faucet: KeyPairSigner, issuer: KeyPairSigner) {
    this.ledger = ledger;
    this.faucet = faucet;
    this.issuer = issuer;
  }

  /** A bank with its own keys and the faucet's coin; no tokens yet. */
  static async open(ledger: Ledger): Promise<Bank> {
    const bank = new Bank(ledger, await generateKeyPairSigner(), await generateKeyPairSigner());
    bank.#place(bank.faucet.address, FAUCET_LAMPORTS, SYSTEM_PROGRAM, new Uint8Array());
    await bank.airdrop(bank.issuer.address, HOLDER_LAMPORTS);
    return bank;
  }

  /** Places a mint of the issuer at an address, of the classic token program unless another is named. */
  placeMint(mint: Address, decimals: number, program: Address = TOKEN_PROGRAM): void {
    const data = Buffer.alloc(MINT_SIZE);
    const authority = Buffer.from(getAddressEncoder().encode(this.issuer.address));
    data.writeUInt32LE(1, 0);
    authority.copy(data, 4);
    data.writeUInt8(decimals, 44);
    data.writeUInt8(1, 45);
    data.writeUInt32LE(1, 46);
    authority.copy(data, 50);
    this.#place(mint, this.ledger.vm.rent(BigInt(MINT_SIZE)), program, data);
  }

  /** A new wallet with coin for fees. */
  async newHolder(): Promise<KeyPairSigner> {
    const holder = await generateKeyPairSigner();
    await this.airdrop(holder.address, HOLDER_LAMPORTS);
    return holder;
  }

  /** Sends coin from the faucet. */
  async airdrop(to: Address, lamports: bigint): Promise<Landed> {
    const transfer = getTransferSolInstruction({ source: this.faucet, destination: to, amount: lamports });
    return this.send(this.faucet, [transfer]);
  }

  /** A wallet has exactly this much coin, from the open block on. */
  setCoin(wallet: Address, lamports: bigint): void {
    this.#place(wallet, lamports, SYSTEM_PROGRAM, new Uint8Array());
  }

  /** Issues base units of a token to a wallet. */
  async mint({ to, mint, amount, account }: Omit<TokenTransfer, 'from'>): Promise<Landed> {
    const program = this.#programOf(mint);
    const { address, create } = await this.#destination(this.issuer, to, mint, account);
    const issue = getMintToInstruction(
      { mint, token: address, mintAuthority: this.issuer, amount },
      { programAddress: program },
    );
    return this.send(this.issuer, [...create, issue]);
  }

  /** The instructions of a wallet's payment: the recipient's account, created if needed, and the checked transfer. */
  async transferInstructions({ from, to, mint, amount, account }: TokenTransfer): Promise<Instruction[]> {
    const program = this.#programOf(mint);
    const source = await this.associatedAccount(from.address, mint);
    const { address, create } = await this.#destination(from, to, mint, account);
    const transfer = getTransferCheckedInstruction(
      { source, mint, destination: address, authority: from, amount, decimals: this.#decimalsOf(mint) },
      { programAddress: program },
    );
    return [...create, transfer];
  }

  /** Pays. The transaction is in the open block when this resolves. Throws when it was dropped. */
  async transfer(transfer: TokenTransfer): Promise<Landed> {
    return this.send(transfer.from, await this.transferInstructions(transfer));
  }

  /** A token account of the wallet that is not its associated one, at a random address. */
  async createAuxiliaryAccount(owner: Address, mint: Address): Promise<Address> {
    const account = await generateKeyPairSigner();
    const program = this.#programOf(mint);
    const create = getCreateAccountInstruction({
      payer: this.faucet,
      newAccount: account,
      lamports: this.ledger.vm.rent(TOKEN_ACCOUNT_SIZE),
      space: TOKEN_ACCOUNT_SIZE,
      programAddress: program,
    });
    const initialize = getInitializeAccount3Instruction(
      { account: account.address, mint, owner },
      { programAddress: program },
    );
    await this.send(this.faucet, [create, initialize]);
    return account.address;
  }

  /** The address to which wallets send a token: the associated token account of an owner, under the mint's own program. */
  async associatedAccount(owner: Address, mint: Address): Promise<Address> {
    const [address] = await findAssociatedTokenPda({ owner, mint, tokenProgram: this.#programOf(mint) });
    return address;
  }

  /** Base units that a wallet holds at the newest block, in all its accounts. */
  balanceOf(owner: Address, mint: Address): bigint {
    const { accounts, blocks } = this.ledger;
    const held = accounts.holdingsOf(owner, blocks.newest.slot).filter(({ token }) => token.mint === mint);
    return held.reduce((sum, { token }) => sum + token.amount, 0n);
  }

  /** Executes a transaction in the open block; it may have failed there. Throws when it was dropped. */
  async send(payer: KeyPairSigner, instructions: readonly Instruction[], version: 0 | 1 = 0): Promise<Landed> {
    const wire = await this.sign(payer, instructions, version);
    const landed = this.ledger.submit(wire);
    if (!landed) throw new Error(`transaction ${wire.signatures[0]} was dropped: ${this.#reason(wire)}`);
    return landed;
  }

  /** A transaction signed by the payer and by all signers of the instructions. No two are the same. */
  sign(payer: KeyPairSigner, instructions: readonly Instruction[], version: 0 | 1 = 0): Promise<WireTransaction> {
    const { blocks } = this.ledger;
    const final = blocks.at('finalized');
    // A final blockhash, so that a dropped fork does not invalidate the transaction. While finality is delayed it may be old.
    const isFresh = blocks.newest.height - final.height < BLOCKHASH_LIFETIME / 2;
    const block = isFresh ? final : blocks.at('confirmed');
    // Payments of the same amount within one block would be one transaction without a different limit for each.
    const computeUnits = LEAST_UNITS + (this.#sent++ % DISTINCT_LIMITS);
    return signTransaction({ payer, instructions, version, block, computeUnits });
  }

  #reason(wire: WireTransaction): string {
    const error = this.ledger.refusal(wire, 'processed') ?? this.ledger.simulate(wire, true).error;
    return error ? errorText(error) : 'unknown';
  }

  async #destination(payer: KeyPairSigner, owner: Address, mint: Address, account: Address | undefined) {
    if (account) return { address: account, create: [] };
    const ata = await this.associatedAccount(owner, mint);
    const tokenProgram = this.#programOf(mint);
    return {
      address: ata,
      create: [getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint, tokenProgram })],
    };
  }

  #programOf(mint: Address): Address {
    const state = this.ledger.accounts.now(mint);
    if (!state) throw new Error(`there is no mint ${mint}`);
    return state.programAddress;
  }

  #decimalsOf(mint: Address): number {
    return readMint(this.ledger.accounts.now(mint))?.decimals ?? 0;
  }

  #place(address: Address, lamports: bigint, programAddress: Address, data: Uint8Array): void {
    const space = BigInt(data.length);
    const account: EncodedAccount = {
      address,
      lamports: toLamports(lamports),
      programAddress,
      data,
      space,
      executable: false,
    };
    this.ledger.accounts.put(address, account, this.ledger.blocks.newest.slot);
  }
}
