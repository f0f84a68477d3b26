// A customer's wallet on the local Solana chain, built on Solana's own libraries, and what the addresses' token accounts hold.

import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { base58 } from '@scure/base';

const CENT_DIGITS = 2;

export class SolanaWallet {
  #connection;
  #payer;

  /** @param {{ rpc_url: string, tokens: Record<string, { mint: string, decimals: number }>, payer: { secret_key: string } }} network */
  constructor(network) {
    this.network = network;
    this.#connection = new Connection(network.rpc_url, 'confirmed');
    this.#payer = Keypair.fromSecretKey(base58.decode(network.payer.secret_key));
  }

  /** Sends a token amount in cents, and resolves when the node has taken the transaction. */
  async pay(currency, to, cents) {
    const { mint, decimals } = this.#token(currency);
    const owner = new PublicKey(to);
    const account = getAssociatedTokenAddressSync(mint, owner);
    const { publicKey: payer } = this.#payer;
    const transaction = new Transaction().add(
      createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, mint),
      createTransferCheckedInstruction(
        getAssociatedTokenAddressSync(mint, payer),
        mint,
        account,
        payer,
        BigInt(cents) * 10n ** BigInt(decimals - CENT_DIGITS),
        decimals,
      ),
    );
    transaction.feePayer = payer;
    transaction.recentBlockhash = (await this.#connection.getLatestBlockhash()).blockhash;
    transaction.sign(this.#payer);
    await this.#connection.sendRawTransaction(transaction.serialize());
  }

  /**
   * What these addresses' token accounts hold, of which nothing was ever spent, and by how many transactions it came: by address
   * as { cents, count }.
   */
  async received(all) {
    const found = new Map();
    for (const address of all.filter(isSolana)) {
      for (const currency of Object.keys(this.network.tokens)) {
        const { mint, decimals } = this.#token(currency);
        const account = getAssociatedTokenAddressSync(mint, new PublicKey(address));
        const held = await this.#connection.getTokenAccountBalance(account).catch(() => null);
        if (!held) continue;
        const signatures = await this.#connection.getSignaturesForAddress(account);
        const before = found.get(address) ?? { cents: 0n, count: 0 };
        found.set(address, {
          cents: before.cents + BigInt(held.value.amount) / 10n ** BigInt(decimals - CENT_DIGITS),
          count: before.count + signatures.filter(({ err }) => err === null).length,
        });
      }
    }
    return found;
  }

  #token(currency) {
    const { mint, decimals } = this.network.tokens[currency];
    return { mint: new PublicKey(mint), decimals };
  }

  close() {}
}

/** 32 bytes; TRON's addresses are 25. */
function isSolana(text) {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
