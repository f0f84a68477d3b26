// A customer's wallet on the local Solana chain, built on Solana's own libraries, and the balances of token accounts.

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

  /** Sends a token amount in cents, and resolves when the node has accepted the transaction. */
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
   * All token transfers to these addresses, by address as { cents, count }. Read from the transactions: a sweep may have
   * emptied and closed the token accounts since. Not the tokens that the chain began with.
   */
  async received(all) {
    const found = new Map();
    for (const address of all.filter(isSolana)) {
      const changes = await this.#changes(address);
      const parts = changes.filter(({ cents, moved }) => cents > 0n && !isMinted(moved));
      const cents = parts.reduce((sum, one) => sum + one.cents, 0n);
      if (parts.length > 0) found.set(address, { cents, count: parts.length });
    }
    return found;
  }

  /** All transactions that took tokens from an address, as { hash, currency, to, cents }. */
  async sentBy(from) {
    const changes = await this.#changes(from);
    return changes
      .filter(({ cents }) => cents < 0n)
      .map(({ hash, currency, cents, moved }) => {
        const [to] = [...moved].find(([, units]) => units > 0n);
        return { hash, currency, to, cents: -cents };
      });
  }

  /** What the successful transactions changed of an address's tokens, as { hash, currency, cents, moved }. */
  async #changes(address) {
    const changes = [];
    for (const currency of Object.keys(this.network.tokens)) {
      const { mint, decimals } = this.#token(currency);
      const account = getAssociatedTokenAddressSync(mint, new PublicKey(address));
      for (const { signature: hash, err } of await this.#allSignatures(account)) {
        if (err !== null) continue;
        const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
        const { meta } = await this.#connection.getTransaction(hash, options);
        const moved = movedTokens(meta, mint.toBase58());
        const cents = (moved.get(address) ?? 0n) / 10n ** BigInt(decimals - CENT_DIGITS);
        changes.push({ hash, currency, cents, moved });
      }
    }
    return changes;
  }

  async #allSignatures(account) {
    const all = [];
    for (let before; ; before = all.at(-1).signature) {
      const page = await this.#connection.getSignaturesForAddress(account, {
        limit: 1000,
        ...(before ? { before } : {}),
      });
      all.push(...page);
      if (page.length < 1000) return all;
    }
  }

  /** An address's balance, in base units. */
  async balance(currency, of) {
    const account = getAssociatedTokenAddressSync(this.#token(currency).mint, new PublicKey(of));
    return BigInt((await this.#connection.getTokenAccountBalance(account)).value.amount);
  }

  #token(currency) {
    const { mint, decimals } = this.network.tokens[currency];
    return { mint: new PublicKey(mint), decimals };
  }

  close() {}
}

/** A transaction's change of a token balance, by owner, in base units. */
function movedTokens({ preTokenBalances: before, postTokenBalances: after }, mint) {
  const moved = new Map();
  for (const [list, sign] of [
    [before, -1n],
    [after, 1n],
  ]) {
    for (const one of list.filter((held) => held.mint === mint)) {
      moved.set(one.owner, (moved.get(one.owner) ?? 0n) + sign * BigInt(one.uiTokenAmount.amount));
    }
  }
  return moved;
}

/** 32 bytes; TRON's addresses are 25. */
function isSolana(text) {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}

/** Whether there are more tokens after a transaction than before. */
const isMinted = (moved) => [...moved.values()].reduce((sum, units) => sum + units, 0n) > 0n;
